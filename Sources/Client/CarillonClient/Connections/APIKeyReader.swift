import CarillonClock
import CarillonCore
import NIOCore

/// Reads the API key before an attempt to connect, from a file or a function: one reading at a time, bounded in time.
///
/// Confined to its event loop.
final class APIKeyReader {
    private let connector: ServerConnector
    private let eventLoop: any EventLoop
    /// The number of the reading that is under way; nil if none is.
    private var current: UInt64?
    private var last: UInt64 = 0

    init(_ connector: ServerConnector, eventLoop: any EventLoop) {
        self.connector = connector
        self.eventLoop = eventLoop
    }

    var isReading: Bool { current != nil }

    /// Reads the key beside the event loop.
    ///
    /// - Parameter completion: called once: with the key, or with an error if it cannot be read before the deadline.
    func read(until deadline: Uptime, _ completion: @escaping (Result<[UInt8]?, CarillonError>) -> Void) {
        last += 1
        let reading = last
        current = reading
        connector.readKey().assumeIsolated().whenComplete { [weak self] result in
            self?.end(reading, with: result.mapError { CarillonError(connecting: $0) }, completion)
        }
        let limit = TimeAmount.milliseconds(Int64(clamping: deadline.milliseconds(since: Clock.uptime())))
        eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            let late = CarillonError(.cannotConnect, retryAfter: .zero, message: "the API key was not read in time")
            self?.end(reading, with: .failure(late), completion)
        }
    }

    /// Ends a reading. A reading that ended before has no effect.
    private func end(
        _ reading: UInt64, with key: Result<[UInt8]?, CarillonError>,
        _ completion: (Result<[UInt8]?, CarillonError>) -> Void
    ) {
        guard current == reading else { return }
        current = nil
        completion(key)
    }
}
