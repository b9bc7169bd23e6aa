import CarillonClient
import CarillonSimulatorControl
import Foundation
import NIOCore

/// Connects a load to the APNs simulator, and reads the arrivals of pushes.
extension ControlClient {
    /// Connects to the APNs simulator of `--simulator-control`.
    static func connect(to address: CarillonClient.Configuration.Address) async throws -> ControlClient {
        guard case .tcp(let host, let port) = address else { throw LoadTestError("--simulator-control is HOST:PORT") }
        do {
            return try await connect(host: host, port: port).get()
        } catch {
            throw LoadTestError("No simulator answers at \(host):\(port) (--simulator-control): \(error)")
        }
    }

    /// Returns the arrivals with the marker key `key` since the last request. The first request starts the recording.
    func takeArrivals(under key: String) async throws -> ReportedArrivals {
        let text = try await ask("arrivals \(key)").get().text
        do {
            return try JSONDecoder().decode(ReportedArrivals.self, from: Data(text.utf8))
        } catch {
            throw LoadTestError("The simulator does not report arrivals; it answered: \(text.prefix(200))")
        }
    }
}

/// The arrivals of pushes since the last request, as the APNs simulator reports them.
struct ReportedArrivals: Decodable, Sendable {
    /// The markers of pushes and their arrival times in microseconds since 1970, alternating.
    var arrivals: [UInt64]
    /// The number of arrivals that were not stored.
    var lost: UInt64
}
