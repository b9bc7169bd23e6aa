package import CarillonCore
import CarillonLMDB
import Glibc

/// The write-ahead log of a data directory that a server uses.
package struct ServedLog {
    private let path: String

    private static let pollMicroseconds: UInt32 = 20_000

    package init(at path: String) {
        self.path = path
    }

    /// Waits until the database contains the records that the log has now: later reads show every change that was
    /// answered before.
    ///
    /// - Parameter timeout: the longest time to wait.
    /// - Returns: false if the time is over: the last answered changes may be missing.
    /// - Throws: `.storageFailed` if a file cannot be read, `.corrupted` if there is no database of this schema.
    package func waitUntilStored(timeout: Duration = .seconds(30)) throws(RegistryError) -> Bool {
        let end = ContinuousClock.now + timeout
        guard let target = try lastLSN(until: end) else { return true }
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        while try registry.readAfterCheckpoint({ try $1.meta.storedWAL(in: $0) }).position.lsn < target {
            guard ContinuousClock.now < end else { return false }
            usleep(Self.pollMicroseconds)
        }
        return true
    }

    /// Returns the LSN of the last record that the database lacks; nil if it lacks none. Returns the greatest number if
    /// the log was being written at each attempt until `end`.
    private func lastLSN(until end: ContinuousClock.Instant) throws(RegistryError) -> UInt64? {
        while true {
            let inspection = try InspectedLog(at: path, while: .served).inspection
            // The server may have written to the log while it was read.
            if inspection.damage == nil { return inspection.scan.flatMap { $0.recordCount > 0 ? $0.lastLSN : nil } }
            guard ContinuousClock.now < end else { return .max }
            usleep(Self.pollMicroseconds)
        }
    }
}
