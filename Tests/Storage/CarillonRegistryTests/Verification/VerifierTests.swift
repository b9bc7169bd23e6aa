import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Damage to events and their subscribers: the verifier finds it, and nothing else. A sound registry has no findings.
struct VerifierTests {
    static let damages = [
        RegistryDamage("an event that was not given", finds: .eventOutOfOrder(5)) { transaction, tables in
            try tables.events.append(Event(sequence: 5, at: timestamp(1), kind: .connectionUp), in: &transaction)
        },
        RegistryDamage("the newest event is missing", finds: .eventOutOfOrder(2)) { transaction, tables in
            try tables.events.append(Event(sequence: 1, at: timestamp(1), kind: .connectionUp), in: &transaction)
            try tables.meta.putLastEvent(2, in: &transaction)
        },
        RegistryDamage("a subscriber ahead of the events", finds: .subscriberAhead(principal: "a", name: "b")) {
            transaction, tables in
            let record = SubscriberRecord(acknowledgedSequence: 1, usedAt: timestamp(1))
            try tables.subscribers.put(record, for: EventSubscriber(principal: "a", name: "b"), in: &transaction)
        },
    ]

    @Test func `an empty registry is sound`() throws {
        #expect(try RegistryDirectory().open().verifyFile() == [])
    }

    @Test(arguments: damages)
    func `the verifier finds the damage`(_ damage: RegistryDamage) throws { try damage.expectFound() }
}
