import CarillonCommandLine
import CarillonCore

/// Turns errors of the registry into errors of a command.
extension CommandError {
    static func unreadable(_ path: String, because error: RegistryError) -> CommandError {
        switch error {
        case .corrupted(let what): .damaged("\(path) has corrupt data: \(what)")
        case .storageFailed(let what): .damaged("\(path) cannot be read: \(what)")
        case .inUse: .unusable(error.description)
        default: .damaged("\(path): \(error)")
        }
    }
}

/// Runs `body`, and turns an error of the registry into an error of the command.
///
/// - Parameter path: the data that `body` uses, for the sentence of the error.
func translateErrors<Answer>(
    at path: String, _ body: () throws(RegistryError) -> Answer
) throws(CommandError) -> Answer {
    do throws(RegistryError) {
        return try body()
    } catch {
        throw .unreadable(path, because: error)
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
