import Foundation

/// The reason why a command fails, as a sentence, with its exit status.
package struct CommandError: Error, Equatable {
    package var status: ExitStatus
    /// The reason, beginning with a small letter or a name: the name of the program is printed before it.
    package var message: String

    package init(status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    /// Makes the error of a file, a directory or an argument that cannot be used.
    package static func unusable(_ message: String) -> CommandError { CommandError(status: .usage, message: message) }

    /// Makes the error of a thing that is not found, or of a check that fails.
    package static func refused(_ message: String) -> CommandError { CommandError(status: .refused, message: message) }

    /// Makes the error of stored data that is corrupt.
    package static func damaged(_ message: String) -> CommandError { CommandError(status: .damaged, message: message) }

    /// Makes the error of a system call on `path`, from `errno`.
    package static func system(_ what: String, _ path: String) -> CommandError {
        .unusable("\(path) \(what): \(String(cString: strerror(errno)))")
    }
}
