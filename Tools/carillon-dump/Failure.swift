import CarillonCommandLine
import CarillonCore
import Foundation

/// Why a command ends, in a sentence.
struct Failure: Error, Equatable {
    var status: ExitStatus
    var message: String

    /// A file or a directory that cannot be used.
    static func unusable(_ message: String) -> Failure { Failure(status: .usage, message: message) }

    /// Something that is looked for and not there, or is not as it must be.
    static func refused(_ message: String) -> Failure { Failure(status: .refused, message: message) }

    /// Stored bytes that cannot be read.
    static func damaged(_ message: String) -> Failure { Failure(status: .damaged, message: message) }

    /// What the system said last of a call on `path`.
    static func system(_ what: String, _ path: String) -> Failure {
        .unusable("\(path) \(what): \(String(cString: strerror(errno)))")
    }

    /// What the registry at `path` said.
    static func reading(_ path: String, _ error: RegistryError) -> Failure {
        switch error {
        case .corrupted(let what): .damaged("\(path) holds something that cannot be read: \(what)")
        case .storageFailed(let what): .damaged("\(path) cannot be read: \(what)")
        case .inUse: .unusable(error.description)
        default: .damaged("\(path): \(error)")
        }
    }
}

/// Runs `body` on the registry at `path`, whose errors it turns into sentences.
func reading<Answer>(_ path: String, _ body: () throws(RegistryError) -> Answer) throws(Failure) -> Answer {
    do throws(RegistryError) {
        return try body()
    } catch {
        throw .reading(path, error)
    }
}
