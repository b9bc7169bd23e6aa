import CarillonClient
import CarillonCommandLine
import CarillonCore
import Synchronization

/// The latest things that went wrong, as the server's events tell them.
final class FailureLog: Sendable {
    /// Events kept.
    private static let limit = 50
    /// What is no good news.
    private static let kinds: [Event.Kind] = [
        .deliveryFailed, .connectionDown, .credentialRefused, .badTokensBegan,
    ]

    private struct State {
        var events: [Event] = []
        var complaint: String?
    }

    private let state = Mutex(State())

    /// The events, the latest first.
    var latest: [Event] { state.withLock { $0.events.reversed() } }
    /// Why there are none, if the server does not tell them.
    var complaint: String? { state.withLock { $0.complaint } }

    /// Takes note of an event.
    func note(_ event: Event) {
        state.withLock { state in
            if state.events.count == Self.limit { state.events.removeFirst() }
            state.events.append(event)
        }
    }

    /// Listens until the task is cancelled. That it cannot is told, and is no reason to end.
    func listen(to client: CarillonClient) async {
        do throws(CarillonError) {
            for try await news in try await client.events(from: .now, kinds: Self.kinds) {
                if case .event(let event) = news { note(event) }
            }
        } catch {
            guard error.code != .cancelled, error.code != .closed else { return }
            state.withLock { $0.complaint = error.message }
        }
    }
}
