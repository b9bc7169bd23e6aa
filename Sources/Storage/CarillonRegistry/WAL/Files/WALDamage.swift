import CarillonCore
import CarillonWire

/// The reason why changes of a write-ahead log that were answered cannot be applied.
struct WALDamage: Equatable {
    enum Kind: Equatable {
        /// The record with this LSN cannot be read.
        case unreadable(UInt64)
        /// The log follows another state of the database than this one.
        case doesNotFollow
        /// The header cannot be read.
        case header
        /// The log belongs to a registry with this epoch.
        case ofAnotherRegistry(UUIDBytes)
        /// The log is missing, or is another one, although the database was not closed.
        case missing
        /// The log has no database.
        case withoutDatabase
    }

    /// The records that are lost: they can no longer be applied.
    struct LostRecords: Equatable {
        var first: UInt64
        var last: UInt64
        /// The number of the records among them that can be read.
        var readableCount: Int
        /// The number of their changes.
        var changeCount: Int
    }

    let kind: Kind
    /// The records that are lost; nil if they cannot be known.
    let lost: LostRecords?

    init(_ kind: Kind, lost: LostRecords? = nil) {
        self.kind = kind
        self.lost = lost
    }

    /// A sentence about the damage and the loss.
    var description: String {
        let what =
            switch kind {
            case .unreadable(let lsn): "record \(lsn) cannot be read, although its changes were answered"
            case .doesNotFollow: "it does not follow on what is stored: the log or data.mdb is from another time"
            case .header: "its header cannot be read"
            case .ofAnotherRegistry(let epoch): "it belongs to another registry, with the epoch \(epoch)"
            case .missing:
                "it is missing, or it is another one, and the server was not stopped in the regular way: changes may "
                    + "be lost that were answered shortly before"
            case .withoutDatabase: "it has changes that were answered, but data.mdb is missing or empty"
            }
        guard let lost else { return "data.wal: " + what }
        return "data.wal: \(what). Not stored are the records \(lost.first) to \(lost.last); "
            + "\(lost.readableCount) of them can be read, with \(lost.changeCount) changes"
    }

    var advice: String {
        switch kind {
        case .withoutDatabase:
            "Put data.mdb back, or restore a backup. For a new registry move the file data.wal away."
        case .doesNotFollow, .ofAnotherRegistry, .missing:
            "Put the files back that belong together, or restore a backup, or go on without these changes: "
                + "carillon-dump log --cut"
        case .header, .unreadable: "Restore a backup, or go on without these changes: carillon-dump log --cut"
        }
    }

    var error: RegistryError { .corrupted("\(description). \(advice)") }
}
