/// An error that stops a load test, or the fault of an argument: in words for the user.
struct LoadTestError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
