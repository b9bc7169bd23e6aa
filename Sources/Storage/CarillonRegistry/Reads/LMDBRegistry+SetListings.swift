package import CarillonCore
import CarillonLMDB

/// The lists of groups, topics and their members, and EXPLAIN.
extension LMDBRegistry {
    /// Returns the groups whose names begin with `prefix`, after the name `after`; at most `limit`.
    package func groups(
        of app: AppID,
        prefix: String,
        after: String,
        limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try namedSets(.group, of: app, prefix: prefix, after: after, limit: limit)
    }

    /// Returns the topics whose names begin with `prefix`, after the name `after`; at most `limit`.
    package func topics(
        of app: AppID,
        prefix: String,
        after: String,
        limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try namedSets(.topic, of: app, prefix: prefix, after: after, limit: limit)
    }

    private func namedSets(
        _ kind: SetKind,
        of app: AppID,
        prefix: String,
        after: String,
        limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number else {
                return NamedSetPage(next: nil, rows: [])
            }
            let muted = kind == .group ? try tables.sets.get(.muted, app: app, in: transaction)?.number : nil
            var rows: [NamedSetPage.Row] = []
            // No name is this long, and LMDB refuses longer keys.
            guard max(prefix.utf8.count, after.utf8.count) <= GroupName.maximumBytes else {
                return NamedSetPage(next: nil, rows: [])
            }
            let limit = Self.pageLimit(limit)
            let range = SetTable.NameRange(prefix: prefix, after: after, limit: limit + 1)
            try tables.sets.forEach(kind, app: app, names: range, in: transaction) { label, set in
                let isMuted = try muted.map {
                    try tables.groupTopics.contains(app: app, group: set.number, topic: $0, in: transaction)
                }
                rows.append(NamedSetPage.Row(name: label.name, devices: set.devices, isMuted: isMuted ?? false))
            }
            return Self.page(rows, limit: limit)
        }
    }

    /// Returns the topics that a group is subscribed to, after the name `after`; at most `limit`.
    package func topics(
        of group: GroupName,
        app: AppID,
        after: String,
        limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number,
                let group = try tables.sets.get(.group(group), app: app, in: transaction)?.number
            else { return NamedSetPage(next: nil, rows: []) }
            var names: [String] = []
            for number in try tables.groupTopics.topics(app: app, group: group, in: transaction) {
                let label = try Self.label(number, app: app, tables: tables, in: transaction)
                if label.kind == .topic, Self.isBelow(after, label.name) { names.append(label.name) }
            }
            let limit = Self.pageLimit(limit)
            let rows = try names.sorted(by: Self.isBelow).prefix(limit + 1).map { name in
                let set = try TopicName(name).flatMap { try tables.sets.get(.topic($0), app: app, in: transaction) }
                return NamedSetPage.Row(name: name, devices: set?.devices ?? 0)
            }
            return Self.page(rows, limit: limit)
        }
    }

    /// Returns a page of the devices of a set; `cursor` is the first id that is looked for. A set that does not exist
    /// has none.
    package func devices(
        in set: SetName,
        of app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> DeviceIDPage {
        try readAfterCheckpoint { transaction, tables in
            var page = DeviceIDPage(next: 0, devices: [])
            guard cursor < AppTable.deviceBound, let app = try tables.apps.get(app, in: transaction)?.number,
                let number = try tables.sets.get(SetLabel(set), app: app, in: transaction)?.number
            else { return page }
            let limit = Self.pageLimit(limit)
            let first = DeviceID(rawValue: cursor)
            try tables.postings.forEach(app: app, set: number, from: first.chunk, in: transaction) { chunk, bits in
                Self.fill(&page, chunk: chunk, bits: bits, from: first, limit: limit)
            }
            return page
        }
    }

    /// Adds the devices of a chunk, from `first` on, until the page is full.
    static func fill(
        _ page: inout DeviceIDPage,
        chunk: ChunkNumber,
        bits: ChunkBits,
        from first: DeviceID,
        limit: Int
    ) -> Iteration {
        for offset in bits {
            let id = DeviceID(chunk: chunk, offset: offset)
            guard id >= first else { continue }
            guard page.devices.count < limit else {
                page.next = id.rawValue
                return .stop
            }
            page.devices.append(id)
        }
        return .proceed
    }

    /// Returns the groups of a device, and its topics after `after`: at least one topic, then as many as make `limit`
    /// rows.
    package func memberships(
        of device: DeviceReference,
        app: AppID,
        after: String,
        limit: Int
    ) throws(RegistryError) -> Memberships? {
        try readAfterCheckpoint { transaction, tables in
            guard let app = try tables.apps.get(app, in: transaction)?.number,
                let device = try Self.device(device, app: app, tables: tables, in: transaction)
            else { return nil }
            let record = try tables.memberships.get(device.id, app: app, in: transaction)
            let muted = try tables.sets.get(.muted, app: app, in: transaction)?.number
            var result = Memberships(
                device: device.id,
                isMuted: muted.map(record.topics.containsSorted) ?? false,
                groups: [],
                topics: [],
                next: nil
            )
            let groups = try Self.groups(of: record, app: app, tables: tables, in: transaction)
            for (name, topics) in groups {
                let isMuted = muted.map(topics.containsSorted) ?? false
                result.groups.append(Memberships.GroupMembership(group: name, isMuted: isMuted))
            }
            let sources = TopicSources(app: app, tables: tables, record: record, groups: groups, muted: muted)
            (result.topics, result.next) = try sources.page(
                after: after, limit: Self.pageLimit(limit), in: transaction)
            return result
        }
    }

    /// A group of a device, and the topics that the group is subscribed to, ascending.
    private typealias GroupTopics = (name: GroupName, topics: [SetNumber])

    /// Returns the groups of a device, by name.
    private static func groups(
        of record: MembershipRecord, app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [GroupTopics] {
        var groups: [GroupTopics] = []
        for number in record.groups {
            guard let name = GroupName(try label(number, app: app, tables: tables, in: transaction).name) else {
                throw RegistryError.corrupted("setnames: a group")
            }
            groups.append((name, try tables.groupTopics.topics(app: app, group: number, in: transaction)))
        }
        groups.sort { isBelow($0.name.name, $1.name.name) }
        return groups
    }

    /// The sources of a device's topics: the device itself, and its groups.
    private struct TopicSources {
        let app: AppNumber
        let tables: Tables
        let record: MembershipRecord
        /// The groups of the device, by name.
        let groups: [GroupTopics]
        /// The set of the muted, which is no topic; nil if the app has none.
        let muted: SetNumber?

        /// Returns the topics of the device after the name `after`, each once for each source: at least one topic, then
        /// as many as make `limit` rows. `next` is the last topic of the page; nil if no topic follows.
        func page(
            after: String, limit: Int, in transaction: borrowing ReadTransaction
        ) throws -> (rows: [Memberships.TopicMembership], next: TopicName?) {
            var rows: [Memberships.TopicMembership] = []
            let names = try lowest(limit + 1, after: after, in: transaction)
            for (index, (name, number)) in names.enumerated() {
                guard let topic = TopicName(name) else { throw RegistryError.corrupted("setnames: a topic") }
                // The device itself first, then its groups by name.
                if record.topics.containsSorted(number) {
                    rows.append(Memberships.TopicMembership(topic: topic, source: nil))
                }
                for group in groups where group.topics.containsSorted(number) {
                    rows.append(Memberships.TopicMembership(topic: topic, source: group.name))
                }
                if rows.count >= limit, index + 1 < names.count { return (rows, topic) }
            }
            return (rows, nil)
        }

        /// Returns the lowest names of topics after the name `after`, at most `limit`.
        private func lowest(
            _ limit: Int, after: String, in transaction: borrowing ReadTransaction
        ) throws -> [(name: String, number: SetNumber)] {
            var lowest = LowestNames(limit: limit, after: after)
            // A device of many groups may have millions of sources: only set numbers are in memory.
            var numbers = groups.reduce(into: record.topics) { $0 += $1.topics }
            numbers.sort()
            var last: SetNumber?
            for number in numbers where number != last && number != muted {
                lowest.insert(
                    try LMDBRegistry.label(number, app: app, tables: tables, in: transaction).name, number: number)
                last = number
            }
            return lowest.sorted
        }
    }

    /// Counts the devices for which a condition holds.
    package func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation {
        try readAfterCheckpoint { transaction, tables in
            let app = try tables.apps.get(app, in: transaction)?.number
            let terms = try condition.setNames.map { name in
                let set = try app.flatMap { try tables.sets.get(SetLabel(name), app: $0, in: transaction) }
                return Explanation.Term(set: name.description, devices: set?.devices ?? 0)
            }
            let plan = ConditionPlan(condition)
            let devices: UInt64
            if let app, let name = plan.singleSet {
                devices = try tables.sets.get(SetLabel(name), app: app, in: transaction)?.devices ?? 0
            } else if let app {
                devices = try tables.withScan(of: plan, app: app, in: transaction) { try $0.count() }
            } else {
                devices = 0
            }
            return Explanation(condition: condition.description, devices: devices, terms: terms)
        }
    }

    /// The lowest `limit` names above `after`, out of many that come in any order; at most twice as many in memory.
    private struct LowestNames {
        let limit: Int
        let after: String
        private var names: [(name: String, number: SetNumber)] = []
        /// The name from which on no name is among the lowest; nil while there is room for any name.
        private var bound: String?

        init(limit: Int, after: String) {
            self.limit = limit
            self.after = after
        }

        mutating func insert(_ name: String, number: SetNumber) {
            guard LMDBRegistry.isBelow(after, name), bound.map({ LMDBRegistry.isBelow(name, $0) }) ?? true else {
                return
            }
            names.append((name, number))
            guard names.count >= 2 * limit else { return }
            names = sorted
            bound = names.last?.name
        }

        /// The lowest names so far, ascending.
        var sorted: [(name: String, number: SetNumber)] {
            Array(names.sorted { LMDBRegistry.isBelow($0.name, $1.name) }.prefix(limit))
        }
    }

    // MARK: Pages

    /// Clamps the limit of one page to 1 to 4,096.
    static func pageLimit(_ limit: Int) -> Int { min(max(1, limit), RegistryLimits.recipientsPerPage) }

    /// Returns true if a name is before another in the order of the keys.
    private static func isBelow(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private static func page(_ rows: [NamedSetPage.Row], limit: Int) -> NamedSetPage {
        guard rows.count > limit else { return NamedSetPage(next: nil, rows: rows) }
        return NamedSetPage(next: rows[limit - 1].name, rows: Array(rows[..<limit]))
    }

    private static func label(
        _ number: SetNumber, app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> SetLabel {
        guard let label = try tables.setNames.get(number, app: app, in: transaction) else {
            throw RegistryError.corrupted("setnames: no row of set \(number)")
        }
        return label
    }
}
