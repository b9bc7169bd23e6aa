import CarillonCore
import CarillonLMDB

/// The recipients of a message, each once, and what becomes of them at acceptance.
struct Audience {
    /// Ascending: 0 for each token that is not registered, then device ids.
    private(set) var ids: [UInt64] = []
    /// By the same index: pending, or the outcome at once.
    private(set) var outcomes: [UInt8] = []

    /// Recipients by outcome.
    var counts: OutcomeCounts {
        var byOutcome = [UInt64](repeating: 0, count: 256)
        for outcome in outcomes { byOutcome[Int(outcome)] += 1 }
        var counts = OutcomeCounts()
        for (outcome, count) in byOutcome.enumerated() where count > 0 {
            counts.add(UInt8(truncatingIfNeeded: outcome), count: count)
        }
        return counts
    }

    /// Looks up what a message names.
    init(
        of message: Message,
        app: AppNumber,
        layout: Layout,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws {
        var named: [UInt64] = []
        var unknown: Set<DeviceAddress> = []
        named.reserveCapacity(message.devices.count)
        for reference in message.devices {
            switch reference {
            case .id(let id):
                named.append(id.rawValue)
            case .address(let address):
                if case .device(let id) = try layout.addresses.get(transaction, app, address) {
                    named.append(id.rawValue)
                } else {
                    unknown.insert(address)
                }
            }
        }
        named.sort()
        ids = Array(repeating: 0, count: unknown.count)
        outcomes = Array(repeating: Outcome.unregistered.rawValue, count: unknown.count)
        var last: UInt64?
        for id in named where id != last {
            last = id
            let outcome = try layout.devices.visit(transaction, app, DeviceID(rawValue: id)) { head, _ in
                Self.outcome(of: head, pushType: message.content.pushType)
            }
            ids.append(id)
            outcomes.append((outcome ?? .unregistered).rawValue)
        }
    }

    private static func outcome(of device: DeviceHead, pushType: PushType) -> Outcome {
        switch device.state {
        case .quarantined: .quarantined
        case .active: device.kind == pushType.tokenKind ? .pending : .wrongKind
        }
    }
}
