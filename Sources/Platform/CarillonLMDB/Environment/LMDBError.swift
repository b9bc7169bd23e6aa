import CCarillonLMDB
import Glibc

/// A failure reported by LMDB or by the file system beneath it.
///
/// Match one kind with `catch LMDBError.Code.mapFull`, or compare ``code``.
package struct LMDBError: Error, Equatable, CustomStringConvertible {
    package let code: Code

    /// The call that failed, as `mdb_put`. Always a literal of this module: it never holds keys or values.
    package let operation: String

    /// A sentence about the cause, where this module knows more than LMDB; nil otherwise.
    package let detail: String?

    package init(_ code: Code, operation: String, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// The ``detail``, or the failed call and LMDB's own words for the code; safe to show.
    package var description: String {
        detail ?? "\(operation): \(String(cString: mdb_strerror(code.rawValue))) (\(code.rawValue))"
    }

    /// Throws unless `result` is `MDB_SUCCESS`.
    @inline(__always)
    static func check(_ result: CInt, _ operation: @autoclosure () -> String) throws(LMDBError) {
        if result != MDB_SUCCESS { throw LMDBError(Code(rawValue: result), operation: operation()) }
    }

    /// Returns the error of a system call that has just failed: the value of `errno`.
    package static func ofErrno(_ operation: String) -> LMDBError {
        LMDBError(Code(rawValue: errno), operation: operation)
    }
}

extension LMDBError {
    /// A return code of LMDB (negative, lmdb.h "Return Codes") or an `errno` of the system (positive).
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as LMDB or the system returns it.
        package let rawValue: CInt

        package init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// Lets `catch LMDBError.Code.mapFull` match an error of any type.
        package static func ~= (code: Code, error: any Error) -> Bool {
            (error as? LMDBError)?.code == code
        }
    }
}

extension LMDBError.Code {
    /// The key is there already (`insert`), or is not above the last one (`append`).
    package static let keyExists = Self(rawValue: MDB_KEYEXIST)
    /// The database does not exist. A missing key is no error.
    package static let notFound = Self(rawValue: MDB_NOTFOUND)
    /// A page is missing: the file is damaged.
    package static let pageNotFound = Self(rawValue: MDB_PAGE_NOTFOUND)
    /// A page is of the wrong type: the file is damaged.
    package static let corrupted = Self(rawValue: MDB_CORRUPTED)
    /// A meta page could not be written, or the map was lost: nothing works until the process opens it anew.
    package static let panic = Self(rawValue: MDB_PANIC)
    /// The file was written by another version of LMDB.
    package static let versionMismatch = Self(rawValue: MDB_VERSION_MISMATCH)
    /// The file is not LMDB's.
    package static let invalidFile = Self(rawValue: MDB_INVALID)
    /// The map is full: let the transaction abort, then `growMap(to:)` and apply the batch again.
    package static let mapFull = Self(rawValue: MDB_MAP_FULL)
    /// The LMDB environment has no room for another reader: there are `maximumReaders`.
    package static let readersFull = Self(rawValue: MDB_READERS_FULL)
    /// The transaction has changed too many pages (about 131,000): commit in smaller batches.
    package static let transactionFull = Self(rawValue: MDB_TXN_FULL)
    /// Another process has grown the map. Seen only in nested transactions: others adopt the new size.
    package static let mapResized = Self(rawValue: MDB_MAP_RESIZED)
    /// The database is not a plain one (it has `MDB_DUPSORT` or an odd key order).
    package static let incompatible = Self(rawValue: MDB_INCOMPATIBLE)
    /// The transaction failed before and can only abort, or a call is not allowed inside a transaction.
    package static let badTransaction = Self(rawValue: MDB_BAD_TXN)
    /// The key has not 1 to 511 bytes, or the value has more than 4 GiB.
    package static let badValueSize = Self(rawValue: MDB_BAD_VALSIZE)

    /// `EIO`. LMDB 0.9 also reports a full disk like this: look at the free space before judging.
    package static let inputOutput = Self(rawValue: EIO)
    /// `ENOSPC`: no space left on the device.
    package static let noSpace = Self(rawValue: ENOSPC)
    /// `EACCES`: no permission, or a write to a read-only LMDB environment.
    package static let accessDenied = Self(rawValue: EACCES)
    /// `EBUSY`: this process has the LMDB environment open already.
    package static let alreadyOpen = Self(rawValue: EBUSY)
    /// `EINVAL`: an argument that LMDB or this module refuses.
    package static let invalidArgument = Self(rawValue: EINVAL)
    /// `EEXIST`: the target of a copy is there already.
    package static let fileExists = Self(rawValue: EEXIST)
    /// `ENOENT`: no such file or directory.
    package static let noSuchFile = Self(rawValue: ENOENT)
    /// `ENOMEM`: no memory or address space.
    package static let outOfMemory = Self(rawValue: ENOMEM)
}
