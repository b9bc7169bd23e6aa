import CCarillonPostgreSQL
import CarillonCluster

/// The library libpq, PostgreSQL's client. It is loaded when a log is opened, never otherwise.
// Safety: pointers to functions that stay loaded. Any thread may call libpq's functions, but only one at a time for a
// connection (PQisthreadsafe is true of every build since version 17, and of Debian's before).
struct LibPQ: @unchecked Sendable {
    /// The functions of the library.
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
    static let connectionOK: Int32 = 0
    static let pollingFailed: Int32 = 0
    static let pollingReading: Int32 = 1
    static let pollingWriting: Int32 = 2
    static let pollingOK: Int32 = 3
    static let commandOK: Int32 = 1
    static let tuplesOK: Int32 = 2
    static let fatalError: Int32 = 7
    static let pipelineSync: Int32 = 10
    static let pipelineAborted: Int32 = 11
    static let verbose: Int32 = 2
    static let idle: Int32 = 0
    static let inError: Int32 = 3
    static let binary: Int32 = 1
}
