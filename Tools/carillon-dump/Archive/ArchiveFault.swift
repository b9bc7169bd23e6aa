/// The reason why an export cannot be read.
struct ArchiveFault: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
