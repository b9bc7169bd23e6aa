import CarillonCore
import CarillonLMDB

/// Finds the devices that a change names, with their memberships, and counts groups and topics, which have limits.
final class MemberFinder {
    private let tables: Tables
    private let sets: SetCache
    private let devices: DeviceFinder

    init(tables: Tables, sets: SetCache, devices: DeviceFinder) {
        self.tables = tables
        self.sets = sets
        self.devices = devices
    }

    /// Returns the registered devices of the references, each once, and an answer that lists the other references.
    func members(
        _ references: [DeviceReference], app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> (members: [ChangingDevice], answer: ChangeAnswer.MembershipChange) {
        var answer = ChangeAnswer.MembershipChange()
        var members: [ChangingDevice] = []
        var seen: Set<DeviceID> = []
        for (index, reference) in references.enumerated() {
            guard let (id, state) = try devices.state(of: reference, app: app, in: transaction) else {
                answer.unknown.append(UInt32(index))
                continue
            }
            if answer.device == nil { answer.device = id }
            if references.count == 1 || seen.insert(id).inserted {
                members.append(try member(id, state: state, app: app, in: transaction))
            }
        }
        return (members, answer)
    }

    /// Returns a device with its memberships, for a change of them.
    func member(
        _ id: DeviceID, state: DeviceState, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> ChangingDevice {
        ChangingDevice(
            id: id,
            isActive: state == .active,
            membership: try tables.memberships.get(id, app: app, in: transaction)
        )
    }

    /// Returns the number of groups, or topics, that a device or group has once `labels` are added. Each counts once,
    /// and the set of the muted does not count. A number that is below every limit may be too high.
    func count(
        of held: [SetNumber],
        adding labels: some Collection<SetLabel>,
        app: AppNumber,
        in transaction: borrowing WriteTransaction
    ) throws -> Int {
        // Most devices and groups are far from every limit, so a sum is enough for them. The limit of groups is the
        // lowest.
        guard held.count + labels.count > MembershipLimits.groupsPerDevice else { return held.count + labels.count }
        let muted = try sets.find(.muted, app: app, in: transaction)?.number
        return try labels.reduce(held.count { $0 != muted }) { count, label in
            let known = try sets.find(label, app: app, in: transaction)?.number
            let isHeld = known.map(held.containsSorted) ?? false
            return isHeld ? count : count + 1
        }
    }
}

/// A device whose membership is being changed.
struct ChangingDevice {
    let id: DeviceID
    let isActive: Bool
    var membership: MembershipRecord
}

extension ChangeAnswer.MembershipChange {
    /// Returns the answer in an app without devices.
    static func noneFound(_ devices: [DeviceReference]) -> ChangeAnswer.MembershipChange {
        var answer = ChangeAnswer.MembershipChange()
        answer.unknown = devices.indices.map { UInt32($0) }
        return answer
    }
}

/// The devices that may have entered or left an audience, up to a limit.
struct AffectedDevices {
    static let maximumDevices = 1_000

    private var ids: Set<DeviceID> = []
    private var coversAllDevices = false

    /// The devices that were inserted, or every device once there were too many.
    var result: ChangeAnswer.Affected { coversAllDevices ? .allDevices : .devices(ids.sorted()) }

    func hasRoom(for count: UInt64) -> Bool { count <= Self.maximumDevices - ids.count }

    /// Inserts a device; beyond the limit the set covers every device.
    mutating func insert(_ id: DeviceID) {
        guard !coversAllDevices else { return }
        if hasRoom(for: 1) { ids.insert(id) } else if !ids.contains(id) { markAllDevices() }
    }

    mutating func markAllDevices() {
        coversAllDevices = true
        ids = []
    }
}
