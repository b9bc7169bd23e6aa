import CarillonCore
import CarillonLMDB

/// Checks the sets: computes every posting again from the records of devices, their memberships, and the topics of
/// their groups.
extension Verifier {
    private struct AppSet: Hashable {
        let app: AppNumber
        let set: SetNumber
    }

    /// The number of rows that name each set. The records of the sets count these rows as well.
    private struct RowCounts {
        var groupSubscriptions: [AppSet: UInt32] = [:]
        var quarantinedMembers: [AppSet: UInt32] = [:]
    }

    /// Checks sets, names, memberships and the topics of groups.
    mutating func checkSets(in transaction: borrowing some Transaction & ~Copyable) throws {
        var counts = RowCounts()
        try checkGroupTopics(counting: &counts, in: transaction)
        try checkMemberships(counting: &counts, in: transaction)
        try checkSetRecords(counts, in: transaction)
        try tables.setNames.forEach(in: transaction) { app, set, label in
            if try tables.sets.get(label, app: app, in: transaction)?.number != set {
                findings.append(.setNameDiffers(app: app, set: set))
            }
        }
    }

    private mutating func checkGroupTopics(
        counting counts: inout RowCounts, in transaction: borrowing some Transaction & ~Copyable
    ) throws {
        try tables.groupTopics.forEach(in: transaction) { app, group, topic in
            counts.groupSubscriptions[AppSet(app: app, set: group), default: 0] += 1
            counts.groupSubscriptions[AppSet(app: app, set: topic), default: 0] += 1
            let isSound =
                try kind(of: group, app: app, in: transaction) == .group
                && isTopic(try kind(of: topic, app: app, in: transaction))
            if !isSound { findings.append(.orphanedGroupTopic(app: app, group: group, topic: topic)) }
        }
    }

    private mutating func checkMemberships(
        counting counts: inout RowCounts, in transaction: borrowing some Transaction & ~Copyable
    ) throws {
        try tables.memberships.forEach(in: transaction) { app, id, record in
            let device = try tables.devices.get(id, app: app, in: transaction)
            if device == nil { findings.append(.membershipWithoutDevice(app: app, id)) }
            if record.isEmpty { findings.append(.membershipEmpty(app: app, id)) }
            for group in record.groups where try kind(of: group, app: app, in: transaction) != .group {
                findings.append(.orphanedMembership(app: app, id, set: group))
            }
            for topic in record.topics where try !isTopic(kind(of: topic, app: app, in: transaction)) {
                findings.append(.orphanedMembership(app: app, id, set: topic))
            }
            guard device?.state == .quarantined else { return }
            for set in record.groups + record.topics {
                counts.quarantinedMembers[AppSet(app: app, set: set), default: 0] += 1
            }
        }
    }

    private mutating func checkSetRecords(
        _ counts: RowCounts, in transaction: borrowing some Transaction & ~Copyable
    ) throws {
        try tables.sets.forEach(in: transaction) { app, label, record in
            let set = record.number
            guard let next = nextSets[app] else { return findings.append(.unknownApp(app)) }
            if !(1..<next).contains(set) { findings.append(.setNotAssigned(app: app, set: set)) }
            if try tables.setNames.get(set, app: app, in: transaction) != label {
                findings.append(.setNameDiffers(app: app, set: set))
            }
            if record.isIdle { findings.append(.setWithoutReason(app: app, set: set)) }
            let appSet = AppSet(app: app, set: set)
            if counts.groupSubscriptions[appSet] ?? 0 != record.groupSubscriptions {
                findings.append(.groupSubscriptionsDiffer(app: app, set: set))
            }
            if counts.quarantinedMembers[appSet] ?? 0 != record.quarantinedMembers {
                findings.append(.quarantinedMembersDiffer(app: app, set: set))
            }
            if let count = try countDevices(set: set, app: app, in: transaction), count != record.devices {
                findings.append(.devicesDiffer(app: app, set: set))
            }
        }
    }

    /// Compares every posting with the rows that it follows from.
    mutating func checkPostings(in transaction: borrowing some Transaction & ~Copyable) throws {
        var chunk = ExpectedChunk()
        var matched = 0
        try tables.devices.forEach(in: transaction) { app, device in
            if chunk.app != app || chunk.number != device.id.chunk {
                matched += try compare(chunk, in: transaction)
                chunk = ExpectedChunk(app: app, number: device.id.chunk)
            }
            for set in try impliedSets(of: device, app: app, in: transaction) {
                chunk.expect(device.id.offset, in: set)
            }
        }
        matched += try compare(chunk, in: transaction)

        var stored = 0
        try tables.postings.forEach(in: transaction) { app, set, chunk, bits in
            stored += 1
            if bits == nil { findings.append(.postingUnreadable(app: app, set: set, chunk: chunk)) }
            if try kind(of: set, app: app, in: transaction) == nil {
                findings.append(.postingWithoutSet(app: app, set: set, chunk: chunk))
            }
        }
        // If the numbers are equal, every stored row was expected in some chunk, and was compared.
        if stored != matched { try findRowsWithoutReason(in: transaction) }
    }

    /// The sets in which each device of a chunk should be.
    private struct ExpectedChunk {
        var app: AppNumber = 0
        var number: ChunkNumber = 0
        private(set) var offsets: [SetNumber: [UInt16]] = [:]

        /// Adds a device to a set. Offsets come ascending; one may come twice.
        mutating func expect(_ offset: UInt16, in set: SetNumber) {
            if offsets[set]?.last != offset { offsets[set, default: []].append(offset) }
        }
    }

    /// Compares a chunk with the stored one; returns the number of its rows that are stored.
    private mutating func compare(
        _ chunk: ExpectedChunk, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Int {
        var matched = 0
        for (set, offsets) in chunk.offsets.sorted(by: { $0.key < $1.key }) {
            let expected = ChunkBits(ascending: offsets) ?? ChunkBits()
            let stored: ChunkBits?
            do {
                stored = try tables.postings.get(
                    PostingTable.RowKey(app: chunk.app, set: set, chunk: chunk.number), in: transaction)
            } catch RegistryError.corrupted {
                // `checkPostings` finds the row later, when it reads all postings.
                matched += 1
                continue
            }
            if stored != nil { matched += 1 }
            var missing = expected
            missing.subtract(stored ?? ChunkBits())
            for offset in missing {
                let id = DeviceID(chunk: chunk.number, offset: offset)
                findings.append(.postingMissing(app: chunk.app, set: set, id))
            }
            var extra = stored ?? ChunkBits()
            extra.subtract(expected)
            for offset in extra {
                let id = DeviceID(chunk: chunk.number, offset: offset)
                findings.append(.postingWithoutReason(app: chunk.app, set: set, id))
            }
        }
        return matched
    }

    /// Finds devices in postings in which they are not expected.
    private mutating func findRowsWithoutReason(in transaction: borrowing some Transaction & ~Copyable) throws {
        var found = Set(findings)
        try tables.postings.forEach(in: transaction) { app, set, chunk, bits in
            for offset in bits ?? ChunkBits() {
                let id = DeviceID(chunk: chunk, offset: offset)
                let device = try tables.devices.get(id, app: app, in: transaction)
                if try device.map({ try impliedSets(of: $0, app: app, in: transaction).contains(set) }) ?? false {
                    continue
                }
                let finding = Finding.postingWithoutReason(app: app, set: set, id)
                if found.insert(finding).inserted { findings.append(finding) }
            }
        }
    }

    /// Finds the sets that a device belongs in.
    private mutating func impliedSets(
        of device: DeviceRecord, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [SetNumber] {
        guard device.state == .active else { return [] }
        var sets: [SetNumber] = []
        for label in device.derivedSets {
            if let set = try tables.sets.get(label, app: app, in: transaction)?.number {
                sets.append(set)
            } else {
                findings.append(.postingMissing(app: app, set: 0, device.id))
            }
        }
        let membership = try tables.memberships.get(device.id, app: app, in: transaction)
        sets += membership.groups + membership.topics
        for group in membership.groups {
            sets += try tables.groupTopics.topics(app: app, group: group, in: transaction)
        }
        return sets
    }

    /// Returns the number of devices of a set; nil if its postings cannot be read.
    private func countDevices(
        set: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> UInt64? {
        var count: UInt64 = 0
        do {
            try tables.postings.forEach(app: app, set: set, in: transaction) { _, bits in
                count += UInt64(bits.count)
                return .proceed
            }
        } catch RegistryError.corrupted {
            return nil
        }
        return count
    }

    private func kind(
        of set: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetKind? {
        try tables.setNames.get(set, app: app, in: transaction)?.kind
    }

    private func isTopic(_ kind: SetKind?) -> Bool { kind == .topic || kind == .muted }
}
