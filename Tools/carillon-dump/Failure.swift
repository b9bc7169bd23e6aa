import CarillonCommandLine
import CarillonCore
import Foundation

/// The reason why a command fails, as a sentence, with its exit status.
struct Failure: Error, Equatable {
    var status: ExitStatus
    var message: String

    /// A file or a directory that cannot be used.
    static func unusable(_ message: String) -> Failure { Failure(status: .usage, message: message) }

    /// Something is not found, or a check fails.
    static func refused(_ message: String) -> Failure { Failure(status: .refused, message: message) }

    /// Stored data is corrupt.
    static func damaged(_ message: String) -> Failure { Failure(status: .damaged, message: message) }

    /// The failure of a system call on `path`, from `errno`.
    static func system(_ what: String, _ path: String) -> Failure {
        .unusable("\(path) \(what): \(String(cString: strerror(errno)))")
    }

    /// An error of the registry at `path`.
    static func reading(_ path: String, _ error: RegistryError) -> Failure {
        switch error {
        case .corrupted(let what): .damaged("\(path) has corrupt data: \(what)")
        case .storageFailed(let what): .damaged("\(path) cannot be read: \(what)")
        case .inUse: .unusable(error.description)
        default: .damaged("\(path): \(error)")
        }
    }
}

/// Runs `body` on the registry at `path` and turns its errors into failures with sentences.
func reading<Answer>(_ path: String, _ body: () throws(RegistryError) -> Answer) throws(Failure) -> Answer {
    do throws(RegistryError) {
        return try body()
    } catch {
        throw .reading(path, error)
    }
}

extension RegistryError {
    /// The cause, without the words before it.
    var reason: String {
        switch self {
        case .corrupted(let what), .storageFailed(let what): what
        default: description
        }
    }
}
