import CarillonCore
import CarillonLMDB

/// A reader of the groups and topics of an app, in pages by name.
struct SetReader {
    private let app: AppNumber
    private let tables: Tables

    /// Makes a reader; nil if there is no such app.
    init?(app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number else { return nil }
        self.app = number
        self.tables = tables
    }

    /// Returns the groups or the topics whose names begin with `prefix`, after the name `after`; at most `limit`.
    func sets(
        of kind: SetKind, prefix: String, after: String, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> NamedSetPage {
        // No name is this long, and LMDB refuses longer keys.
        guard max(prefix.utf8.count, after.utf8.count) <= GroupName.maximumBytes else { return .empty }
        let muted = kind == .group ? try tables.sets.get(.muted, app: app, in: transaction)?.number : nil
        var rows: [NamedSetPage.Row] = []
        let limit = RegistryLimits.pageLimit(limit)
        let range = SetTable.NameRange(prefix: prefix, after: after, limit: limit + 1)
        try tables.sets.forEach(kind, app: app, names: range, in: transaction) { label, set in
            let isMuted = try muted.map {
                try tables.groupTopics.contains(app: app, group: set.number, topic: $0, in: transaction)
            }
            rows.append(NamedSetPage.Row(name: label.name, devices: set.devices, isMuted: isMuted ?? false))
        }
        return NamedSetPage(first: limit, of: rows)
    }

    /// Returns the topics that a group is subscribed to, after the name `after`; at most `limit`.
    func topics(
        of group: GroupName, after: String, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> NamedSetPage {
        guard let group = try tables.sets.get(.group(group), app: app, in: transaction)?.number else { return .empty }
        var names: [String] = []
        for number in try tables.groupTopics.topics(app: app, group: group, in: transaction) {
            let label = try tables.setNames.label(of: number, app: app, in: transaction)
            if label.kind == .topic, after.isBefore(label.name) { names.append(label.name) }
        }
        let limit = RegistryLimits.pageLimit(limit)
        let rows = try names.sorted { $0.isBefore($1) }.prefix(limit + 1).map { name in
            let set = try TopicName(name).flatMap { try tables.sets.get(.topic($0), app: app, in: transaction) }
            return NamedSetPage.Row(name: name, devices: set?.devices ?? 0)
        }
        return NamedSetPage(first: limit, of: rows)
    }

    /// Returns the number of groups that are subscribed to a topic, and `limit` of them by name: those with the lowest
    /// set numbers. Reads the topics of all groups of all apps.
    func groups(
        subscribedTo topic: TopicName, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> (groups: [GroupName], total: Int) {
        guard let number = try tables.sets.get(.topic(topic), app: app, in: transaction)?.number else { return ([], 0) }
        var groups: [GroupName] = []
        var total = 0
        try tables.groupTopics.forEach(in: transaction) { groupApp, group, held in
            guard groupApp == app, held == number else { return }
            total += 1
            guard groups.count < limit else { return }
            groups.append(try tables.setNames.group(group, app: app, in: transaction))
        }
        return (groups.sorted { $0.name.isBefore($1.name) }, total)
    }
}

extension NamedSetPage {
    /// A page without rows, after which no page follows.
    static let empty = NamedSetPage(next: nil, rows: [])

    /// Makes a page of the first `limit` rows, out of one more if another page follows.
    fileprivate init(first limit: Int, of rows: [Row]) {
        guard rows.count > limit else {
            self.init(next: nil, rows: rows)
            return
        }
        self.init(next: rows[limit - 1].name, rows: Array(rows[..<limit]))
    }
}
