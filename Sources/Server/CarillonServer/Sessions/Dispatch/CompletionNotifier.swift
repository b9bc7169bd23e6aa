import CarillonWire
import NIOCore
import Synchronization

/// The result of one request, or of gathered changes, on its way to the session that it came from.
enum Completion: Sendable {
    case request(id: UInt64, Result<EncodedAnswer, RequestError>)
    /// The result of SUBSCRIBE_EVENTS: the number after which the events begin.
    case subscription(id: UInt64, Result<UInt64, RequestError>)
    case changes(CompletedChanges)
}

/// The completions of one connection that other threads have left, until the event loop applies them in one piece.
final class CompletionInbox: Sendable {
    private let completions = Mutex<[Completion]>([])

    /// Adds a completion; returns true if the inbox was empty, and the event loop must be woken.
    func append(_ completion: Completion) -> Bool {
        completions.withLock { completions in
            completions.append(completion)
            return completions.count == 1
        }
    }

    /// Removes and returns all completions, in the order in which they came.
    func removeAll() -> [Completion] {
        completions.withLock { completions in
            let all = completions
            completions = []
            return all
        }
    }
}

/// The wake-ups of event loops when other threads have left completions for their connections.
///
/// A loop is woken once for many completions, after all of them are there. Otherwise it would wake for the first, and a
/// connection would send its answers in several pieces.
final class CompletionNotifier: Sendable {
    private typealias Wakeup = (loop: any EventLoop, body: @Sendable () -> Void)

    private struct State {
        var isCollecting = false
        var wakeups: [Wakeup] = []
    }

    private let state = Mutex(State())

    /// Runs `body` on `loop`: soon, or at the end of the `collect` that is under way.
    func wake(_ loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        let isCollecting = state.withLock { state in
            if state.isCollecting { state.wakeups.append((loop, body)) }
            return state.isCollecting
        }
        if !isCollecting { loop.execute(body) }
    }

    /// Calls `body`, and then wakes the loops for which `wake` was called meanwhile. Only one thread may call this.
    func collect(during body: () -> Void) {
        state.withLock { $0.isCollecting = true }
        body()
        let wakeups = state.withLock { state in
            defer { state = State() }
            return state.wakeups
        }
        for wakeups in Dictionary(grouping: wakeups, by: { ObjectIdentifier($0.loop) }).values {
            wakeups[0].loop.execute { for wakeup in wakeups { wakeup.body() } }
        }
    }
}
