public import CarillonCore
import CarillonWire

/// The result of leaving a group, subscribing or unsubscribing.
public struct MembershipResult: Hashable, Sendable {
    /// Devices that left; of subscriptions, those that are new or gone.
    public var changed: Int
    /// Indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes the answer to a change of memberships.
    public init(changed: Int, unknown: [Int] = []) {
        self.changed = changed
        self.unknown = unknown
    }

    init(_ answer: MembershipChangeAnswer) {
        self.init(changed: Int(answer.changed), unknown: answer.unknown.map { Int($0) })
    }
}
