import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonServer

/// The place at which a subscription of events begins, and the events that it may see (Protocol 11).
struct RegistryEventReaderTests {
    /// A registry that keeps the events 11 to 40; the subscriber `known` has acknowledged those up to 25.
    private final class KeptEvents: EventReads {
        func newestEventSequence() throws(RegistryError) -> UInt64 { 40 }

        func oldestEventSequence() throws(RegistryError) -> UInt64? { 11 }

        func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage {
            throw .closed
        }

        func acknowledgedSequence(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64? {
            subscriber == EventSubscriber(principal: "client", name: "known") ? 25 : nil
        }
    }

    private let reader = RegistryEventReader(KeptEvents(), threads: ScriptedConnection.threads.eventReads)

    private func startingSequence(name: String = "", from: UInt64) throws -> UInt64 {
        try reader.startingSequence(
            of: SubscribeEventsRequest(name: name, from: from, credit: 1), for: Principal(name: "client", grants: []))
    }

    @Test func `a subscription begins where the client asks`() throws {
        #expect(try startingSequence(from: SubscribeEventsRequest.fromNow) == 40)
        #expect(try startingSequence(from: SubscribeEventsRequest.fromOldest) == 10, "before the oldest event")
        #expect(try startingSequence(from: 17) == 17)
    }

    @Test func `a subscription goes on after the events that its name has acknowledged`() throws {
        #expect(try startingSequence(name: "known", from: 0) == 25)
        #expect(try startingSequence(name: "unknown", from: 0) == 40)
        #expect(try startingSequence(from: 0) == 40, "without a name nothing is acknowledged")
    }

    @Test func `a number of another history does not wait for ever`() throws {
        #expect(try startingSequence(from: 1_000) == 40)
    }

    @Test func `a subscription of all apps sees the apps that its client observes`() {
        let game = TestApps.game
        func filter(_ grants: [Grant]) -> EventFilter? {
            reader.filter(of: SubscribeEventsRequest(credit: 1), for: Principal(name: "client", grants: grants))
        }
        #expect(filter([Grant(app: nil, roles: .observe)]) == EventFilter(), "every event")
        #expect(filter([Grant(app: game, roles: .observe)]) == EventFilter(apps: [game]))
        #expect(filter([Grant(app: game, roles: .register)]) == nil)
    }
}
