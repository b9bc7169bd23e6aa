import CarillonClient
import CarillonCommandLine
import CarillonCore
import Synchronization

/// Finds the last events. The protocol reads events forwards only, from a number on. With a filter the numbers of the
/// last events are not known. So the search starts some events before the newest, and further back if it finds too few.
struct RecentEvents {
    let client: CarillonClient
    let apps: [AppID]
    let kinds: [Event.Kind]
    let interruption: Interruption

    /// Each reading starts farther from the newest event than the last one, by this factor.
    private static let distanceGrowth: UInt64 = 10
    /// The time without an event after which a reading has come to its end: a filter may hide the last events.
    private static let maximumIdleTime = Duration.seconds(1)

    /// Some of the last events, in order.
    private struct Reading {
        var elements: [EventStreamElement] = []
        /// True if there are no older events.
        var isFromOldest = false
    }

    /// Reads the last `count` events or fewer, in order; returns them with the number of the newest event, hidden ones
    /// included.
    func read(_ count: Int) async throws -> (elements: [EventStreamElement], newest: UInt64) {
        let newest = try await client.events(
            from: .now, apps: apps.isEmpty ? nil : apps, kinds: kinds.isEmpty ? nil : kinds
        ).position
        var distance = UInt64(count)
        while true {
            let start = newest > distance ? newest - distance : 0
            guard start < newest, !interruption.hasOccurred else { return ([], newest) }
            let reading = try await read(count, after: start, upTo: newest)
            if reading.elements.count == count || start == 0 || reading.isFromOldest {
                return (reading.elements, newest)
            }
            let (product, overflow) = distance.multipliedReportingOverflow(by: Self.distanceGrowth)
            distance = overflow ? newest : product
        }
    }

    /// Reads the last `count` of the events between two numbers.
    private func read(_ count: Int, after start: UInt64, upTo newest: UInt64) async throws -> Reading {
        let events = try await client.events(
            from: .after(start), apps: apps.isEmpty ? nil : apps, kinds: kinds.isEmpty ? nil : kinds)
        let activity = Activity()
        let interruption = interruption
        return try await withThrowingTaskGroup(of: Reading?.self) { group in
            group.addTask { try await Self.last(count, of: events, upTo: newest, recordingIn: activity) }
            group.addTask {
                while activity.idleTime < Self.maximumIdleTime, !interruption.hasOccurred {
                    try await Task.sleep(for: .milliseconds(20))
                }
                return nil
            }
            var found: Reading?
            while let result = try await group.next() {
                found = result ?? found
                group.cancelAll()
                if result != nil { break }
            }
            return found ?? Reading()
        }
    }

    /// Reads a stream up to a number; returns the last `count` events. A gap before them says that there are no older
    /// ones.
    private static func last(
        _ count: Int, of events: EventStream, upTo newest: UInt64, recordingIn activity: Activity
    ) async throws -> Reading {
        var reading = Reading()
        // The stream ends when the task is cancelled.
        loop: for try await element in events {
            activity.record()
            switch element {
            case .event(let event):
                guard event.sequence <= newest else { break loop }
                reading.elements.append(element)
                // Not at each event: removing the first moves all others.
                if reading.elements.count > 2 * count { reading.elements.removeFirst(reading.elements.count - count) }
                if event.sequence == newest { break loop }
            case .gap: reading.isFromOldest = true
            case .newHistory: break loop
            }
        }
        reading.elements = reading.elements.suffix(count)
        return reading
    }
}

/// The time of a task's last activity, readable from another task.
final class Activity: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var hasEnded = false
    }

    private let state = Mutex(State())

    var idleTime: Duration { state.withLock { $0.last.duration(to: .now) } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func record() { state.withLock { $0.last = .now } }

    func end() { state.withLock { $0.hasEnded = true } }
}
