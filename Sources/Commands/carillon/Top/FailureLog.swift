import CarillonClient
import CarillonCore
import Synchronization

/// The latest failures, from the server's events.
final class FailureLog: Sendable {
    /// The maximum number of events that are kept.
    private static let limit = 50
    private static let kinds: [Event.Kind] = [
        .deliveryFailed, .connectionDown, .credentialRefused, .badTokensBegan,
    ]

    private struct State {
        var events: [Event] = []
        var refusal: String?
    }

    private let state = Mutex(State())

    /// The events, the latest first.
    var latest: [Event] { state.withLock { $0.events.reversed() } }
    /// The reason why the server sends no events; nil if it sends them.
    var refusal: String? { state.withLock { $0.refusal } }

    /// Adds an event; the oldest is dropped if there are too many.
    func append(_ event: Event) {
        state.withLock { state in
            if state.events.count == Self.limit { state.events.removeFirst() }
            state.events.append(event)
        }
    }

    /// Listens until the task is cancelled. If the server refuses, `refusal` says why; the refusal is no error.
    func listen(to client: CarillonClient) async {
        do throws(CarillonError) {
            for try await element in try await client.events(from: .now, kinds: Self.kinds) {
                if case .event(let event) = element { append(event) }
            }
        } catch {
            guard error.code != .cancelled, error.code != .closed else { return }
            state.withLock { $0.refusal = error.message }
        }
    }
}
