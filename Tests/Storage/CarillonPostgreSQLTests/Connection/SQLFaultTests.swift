import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The meaning of the errors of log databases.
struct SQLFaultTests {
    @Test(
        arguments: [
            ("40001", .rolledBack), ("40P01", .rolledBack), ("40003", .unknown), ("08007", .unknown),
            ("55P03", .unavailable),
            ("53100", .unavailable), ("53300", .unavailable), ("57014", .unavailable), ("XX000", .unavailable),
            ("25006", .reconnect), ("57P01", .reconnect), ("08006", .reconnect), ("26000", .reconnect),
            ("", .reconnect),
            ("42P01", .refused), ("42501", .refused), ("28P01", .refused), ("0A000", .refused), ("22001", .refused),
        ] as [(String, SQLFault.Meaning)])
    func `the SQL state of a fault decides the error`(state: String, meaning: SQLFault.Meaning) {
        let fault = JobTranscript.fault(state)
        #expect(fault.meaning == meaning)
        #expect(fault.failure.isTransient == (meaning != .refused))
        #expect(fault.failure.effect == (meaning == .unknown ? .unknown : .none))
    }

    @Test(
        arguments: [
            (
                "connection to server at \"127.0.0.1\", port 54321 failed: FATAL:  28P01: password authentication "
                    + "failed",
                "28P01"
            ),
            ("connection to server at \"::1\", port 1 failed: FATAL:  3D000: database \"x\" does not exist", "3D000"),
            ("could not translate host name \"HOST1\" to address: Name or service not known", nil),
            ("connection to server at \"127.0.0.1\", port 1 failed: Connection refused", nil),
        ] as [(String, String?)])
    func `the SQL state is read from a message of libpq`(message: String, state: String?) {
        #expect(SQLFault.state(inVerbose: message) == state)
    }
}
