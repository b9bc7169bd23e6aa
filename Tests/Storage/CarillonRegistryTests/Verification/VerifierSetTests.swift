import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Damage to sets, postings, memberships and the topics of groups: the verifier finds it, and what follows from it.
struct VerifierSetTests {
    static let damages = [
        RegistryDamage(
            "a device in a set without reason", finds: .postingWithoutReason(app: 1, set: StoredSet.level, deviceID(2)),
            amongOthers: true
        ) { transaction, tables in
            try tables.putPosting([1, 0, 1, 0, 2], of: StoredSet.level, in: &transaction)
        },
        RegistryDamage(
            "a chunk in which no device is expected",
            finds: .postingWithoutReason(app: 1, set: StoredSet.level, DeviceID(chunk: 3, offset: 7)), amongOthers: true
        ) { transaction, tables in
            try tables.putPosting([1, 0, 7], of: StoredSet.level, chunk: 3, in: &transaction)
        },
        RegistryDamage(
            "a missing chunk", finds: .postingMissing(app: 1, set: StoredSet.guild, deviceID(1)), amongOthers: true
        ) { transaction, tables in
            try tables.postings.delete(PostingTable.RowKey(app: 1, set: StoredSet.guild, chunk: 0), in: &transaction)
        },
        RegistryDamage("an empty chunk", finds: .postingUnreadable(app: 1, set: StoredSet.level, chunk: 0)) {
            transaction, tables in
            try tables.putPosting([1], of: StoredSet.level, in: &transaction)
        },
        RegistryDamage("offsets out of order", finds: .postingUnreadable(app: 1, set: StoredSet.all, chunk: 0)) {
            transaction, tables in
            try tables.putPosting([1, 0, 2, 0, 1], of: StoredSet.all, in: &transaction)
        },
        RegistryDamage(
            "a chunk of no set", finds: .postingWithoutSet(app: 1, set: StoredSet.unused, chunk: 0), amongOthers: true
        ) { transaction, tables in
            try tables.putPosting([1, 0, 1], of: StoredSet.unused, in: &transaction)
        },
        RegistryDamage("a wrong number of devices", finds: .devicesDiffer(app: 1, set: StoredSet.level)) {
            transaction, tables in
            try tables.changeSet(.topic("level5"), in: &transaction) { $0.devices += 1 }
        },
        RegistryDamage("a wrong number of holders", finds: .groupSubscriptionsDiffer(app: 1, set: StoredSet.user)) {
            transaction, tables in
            try tables.changeSet(.group("user/1"), in: &transaction) { $0.groupSubscriptions += 1 }
        },
        RegistryDamage(
            "a wrong number of quarantined devices", finds: .quarantinedMembersDiffer(app: 1, set: StoredSet.level)
        ) { transaction, tables in
            try tables.changeSet(.topic("level5"), in: &transaction) {
                $0.quarantinedMembers += 1
            }
        },
        RegistryDamage("a set that nothing needs", finds: .setWithoutReason(app: 1, set: 9), amongOthers: true) {
            transaction, tables in
            let label = SetLabel.topic("idle")
            try tables.sets.put(SetRecord(number: 9), for: label, app: 1, in: &transaction)
            try tables.setNames.put(label, for: 9, app: 1, in: &transaction)
        },
        RegistryDamage(
            "a number that was not given", finds: .setNotAssigned(app: 1, set: StoredSet.unused), amongOthers: true
        ) { transaction, tables in
            let label = SetLabel.topic("early")
            try tables.sets.put(
                SetRecord(number: StoredSet.unused, quarantinedMembers: 1), for: label, app: 1, in: &transaction)
            try tables.setNames.put(label, for: StoredSet.unused, app: 1, in: &transaction)
        },
        RegistryDamage(
            "a number that leads elsewhere", finds: .setNameDiffers(app: 1, set: StoredSet.level), amongOthers: true
        ) { transaction, tables in
            try tables.setNames.put(.topic("other"), for: StoredSet.level, app: 1, in: &transaction)
        },
        RegistryDamage("a number that leads nowhere", finds: .setNameDiffers(app: 1, set: 8)) { transaction, tables in
            try tables.setNames.put(.topic("nothing"), for: 8, app: 1, in: &transaction)
        },
        RegistryDamage("a membership of no device", finds: .membershipWithoutDevice(app: 1, deviceID(77))) {
            transaction, tables in
            try tables.memberships.put(
                MembershipRecord(groups: [StoredSet.user]), for: deviceID(77), app: 1, in: &transaction)
        },
        RegistryDamage("a membership of nothing", finds: .membershipEmpty(app: 1, deviceID(2))) { transaction, tables in
            let key = ByteWriter.bytes(capacity: 12) {
                $0.append(UInt32(1))
                $0.append(UInt64(2))
            }
            try transaction.put(([1, 0, 0] as [UInt8]).span, for: key.span, in: tables.memberships.database)
        },
        RegistryDamage(
            "a membership in what is not a group",
            finds: .orphanedMembership(app: 1, deviceID(2), set: StoredSet.level), amongOthers: true
        ) { transaction, tables in
            try tables.memberships.put(
                MembershipRecord(groups: [StoredSet.level]), for: deviceID(2), app: 1, in: &transaction)
        },
        RegistryDamage(
            "a group that holds a group",
            finds: .orphanedGroupTopic(app: 1, group: StoredSet.user, topic: StoredSet.user), amongOthers: true
        ) { transaction, tables in
            try tables.groupTopics.insert(app: 1, group: StoredSet.user, topic: StoredSet.user, in: &transaction)
        },
        RegistryDamage(
            "a lost topic of a group", finds: .postingWithoutReason(app: 1, set: StoredSet.guild, deviceID(1)),
            amongOthers: true
        ) { transaction, tables in
            try tables.groupTopics.delete(app: 1, group: StoredSet.user, topic: StoredSet.guild, in: &transaction)
        },
        RegistryDamage("sets of an unknown app", finds: .unknownApp(7), amongOthers: true) { transaction, tables in
            try tables.sets.put(SetRecord(number: 1, quarantinedMembers: 1), for: .all, app: 7, in: &transaction)
        },
    ]

    @Test(arguments: damages)
    func `the verifier finds the damage`(_ damage: RegistryDamage) throws { try damage.expectFound() }
}
