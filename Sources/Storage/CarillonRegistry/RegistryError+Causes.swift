import CarillonCore
import CarillonLMDB
import Glibc

/// Turns errors of LMDB and of the system into errors of the registry.
extension RegistryError {
    /// Makes the error that an error of opening or reading means.
    init(reading error: any Error) {
        switch error {
        case let error as RegistryError:
            self = error
        case let error as LMDBError where error.code == .corrupted || error.code == .pageNotFound:
            self = .corrupted(error.description)
        case let error as LMDBError where error.code == .readersFull:
            self = .overloaded
        case let error as LMDBError:
            self = .storageFailed(error.description)
        default:
            self = .storageFailed("an unknown error")
        }
    }

    /// Runs `body`, whose errors are errors of opening or reading.
    static func whileReading<R>(_ body: () throws -> R) throws(RegistryError) -> R {
        do {
            return try body()
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Makes the error of a system call on a file that has failed, from `errno`.
    static func system(_ path: String, cannotBe verb: String) -> RegistryError {
        .storageFailed("\(path) cannot be \(verb): \(String(cString: strerror(errno)))")
    }
}
