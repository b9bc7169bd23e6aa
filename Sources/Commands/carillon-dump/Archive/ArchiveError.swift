/// The reason why an export cannot be read.
struct ArchiveError: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
