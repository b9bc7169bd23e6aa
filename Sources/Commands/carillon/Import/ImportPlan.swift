/// The facts that stay the same in an import.
struct ImportPlan {
    var lineFormat: LineFormat
    var template: RegistrationLine.Template
    /// The maximum number of batches in flight.
    var maximumInFlight: Int
    /// The file of the state; nil for standard input, which cannot be read again.
    var stateFile: ImportStateFile?
}
