import CCarillonPostgreSQL
import CarillonCluster

/// The library libpq, PostgreSQL's client. It is loaded when a log is opened, never otherwise.
// Safety: pointers to functions that stay loaded. Any thread may call libpq's functions, but only one at a time for a
// connection (PQisthreadsafe is true of every build since version 17, and of Debian's before).
struct LibPQ: @unchecked Sendable {
    let call: carillon_pq

    /// Loads the library. Later calls find it loaded.
    ///
    /// - Parameter name: the file name by which the system's loader finds the library.
    /// - Throws: `.refused` if the library is missing, or older than version 14, which has pipelines.
    static func load(_ name: String = "libpq.so.5") throws(LogError) -> LibPQ {
        var call = carillon_pq()
        var missing: UnsafePointer<CChar>?
        guard carillon_pq_load(name, &call, &missing) == 0 else {
            let what = missing.map { String(cString: $0) } ?? name
            throw .refused(
                what == name
                    ? "PostgreSQL's client library \(name) is not there: install libpq5"
                    : "PostgreSQL's client library \(name) is too old, it lacks \(what): install libpq5, version 14 or "
                        + "later"
            )
        }
        return LibPQ(call: call)
    }

    /// Returns libpq's text about the last fault of a connection.
    func errorText(of connection: OpaquePointer) -> String {
        call.PQerrorMessage(connection).map { String(cString: $0) } ?? "no reason is known"
    }

    // The numbers of libpq-fe.h.
    static let statusOK: Int32 = 0
    static let statusBad: Int32 = 1
    static let pollingFailed: Int32 = 0
    static let pollingReading: Int32 = 1
    static let pollingWriting: Int32 = 2
    static let pollingOK: Int32 = 3
    static let resultCommandOK: Int32 = 1
    static let resultTuplesOK: Int32 = 2
    static let resultPipelineSync: Int32 = 10
    static let resultPipelineAborted: Int32 = 11
    static let verbosityVerbose: Int32 = 2
    static let transactionIdle: Int32 = 0
    static let transactionInError: Int32 = 3
    static let formatBinary: Int32 = 1
}
