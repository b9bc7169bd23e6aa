import CarillonCore
import CarillonLMDB

/// The reason why the writer cannot go on with the open transaction. The writer aborts it and replays the log, or stops
/// for good.
struct WriterError: Error {
    let error: RegistryError
    /// True if the writer stops, mostly because the disk has failed: nothing more is read or written.
    let isFatal: Bool

    private init(_ error: RegistryError, isFatal: Bool) {
        self.error = error
        self.isFatal = isFatal
    }

    /// Returns an error after which nothing more is read or written.
    static func fatal(_ error: RegistryError) -> WriterError { WriterError(error, isFatal: true) }

    /// Judges an error of a change or of the database in `environment`. After an error of one change or of the space
    /// the writer goes on; any other is fatal.
    init(_ error: any Error, in environment: LMDBEnvironment) {
        switch error {
        case let error as WriterError: self = error
        case let error as RegistryError:
            if case .storageFailed = error { self = .fatal(error) } else { self.init(error, isFatal: false) }
        case let error as LMDBError: self.init(error, in: environment)
        default: self = .fatal(.storageFailed("\(error)"))
        }
    }

    private init(_ error: LMDBError, in environment: LMDBEnvironment) {
        switch error.code {
        case .mapFull: self.init(.storageFull, isFatal: false)
        case .transactionFull: self.init(.overloaded, isFatal: false)
        case .corrupted, .pageNotFound: self.init(.corrupted(error.description), isFatal: false)
        case .inputOutput, .noSpace:
            self = .fatal(.storageFailed(error.description + SpaceMonitor.fullDiskNote(of: environment)))
        default: self = .fatal(.storageFailed(error.description))
        }
    }
}

extension Writer {
    /// Judges an error of a change or of the database.
    func writerError(for error: any Error) -> WriterError { WriterError(error, in: environment) }

    /// Returns the error as a fatal one, whatever it is.
    func fatal(_ error: any Error) -> WriterError { .fatal(writerError(for: error).error) }
}
