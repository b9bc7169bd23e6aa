import CarillonCore
import CarillonLMDB

/// A reader of the groups of one device, and of its topics with the sources of each: the device itself, and its groups.
struct MembershipReader {
    /// A group of the device, and the topics that the group is subscribed to, ascending.
    private typealias GroupTopics = (name: GroupName, topics: [SetNumber])

    private let device: DeviceID
    private let app: AppNumber
    private let tables: Tables
    private let record: MembershipRecord
    /// The groups of the device, by name.
    private let groups: [GroupTopics]
    /// The set of the muted, which is no topic; nil if the app has none.
    private let muted: SetNumber?

    /// Makes a reader; nil if the app has no such device.
    init?(
        of device: DeviceReference, app: AppID, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number,
            let device = try tables.device(device, app: number, in: transaction)
        else { return nil }
        let record = try tables.memberships.get(device.id, app: number, in: transaction)
        var groups: [GroupTopics] = []
        for group in record.groups {
            let name = try tables.setNames.group(group, app: number, in: transaction)
            groups.append((name, try tables.groupTopics.topics(app: number, group: group, in: transaction)))
        }
        groups.sort { $0.name.name.isBefore($1.name.name) }
        self.device = device.id
        self.app = number
        self.tables = tables
        self.record = record
        self.groups = groups
        muted = try tables.sets.get(.muted, app: number, in: transaction)?.number
    }

    /// Returns the groups, and the topics after the name `after`, with a row for each source of a topic. The page ends
    /// after the topic with which it has `limit` rows or more.
    func page(after: String, limit: Int, in transaction: borrowing ReadTransaction) throws -> Memberships {
        var page = Memberships(device: device, isMuted: isMuted(by: record.topics), groups: [], topics: [], next: nil)
        page.groups = groups.map { Memberships.GroupMembership(group: $0.name, isMuted: isMuted(by: $0.topics)) }
        let limit = RegistryLimits.pageLimit(limit)
        let names = try lowest(limit + 1, after: after, in: transaction)
        for (index, (name, number)) in names.enumerated() {
            guard let topic = TopicName(name) else { throw RegistryError.corrupted("setnames: an invalid topic") }
            // The device itself first, then its groups by name.
            if record.topics.containsSorted(number) {
                page.topics.append(Memberships.TopicMembership(topic: topic, source: nil))
            }
            for group in groups where group.topics.containsSorted(number) {
                page.topics.append(Memberships.TopicMembership(topic: topic, source: group.name))
            }
            if page.topics.count >= limit, index + 1 < names.count {
                page.next = topic
                return page
            }
        }
        return page
    }

    private func isMuted(by topics: [SetNumber]) -> Bool { muted.map(topics.containsSorted) ?? false }

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
            let label = try tables.setNames.label(of: number, app: app, in: transaction)
            lowest.insert(label.name, number: number)
            last = number
        }
        return lowest.sorted
    }
}

/// The lowest `limit` names above `after`, out of many that come in any order; at most twice as many in memory.
private struct LowestNames {
    let limit: Int
    let after: String
    private var names: [(name: String, number: SetNumber)] = []
    /// No name from this one on is among the lowest; nil while there is room for any name.
    private var bound: String?

    init(limit: Int, after: String) {
        self.limit = limit
        self.after = after
    }

    mutating func insert(_ name: String, number: SetNumber) {
        guard after.isBefore(name), bound.map({ name.isBefore($0) }) ?? true else { return }
        names.append((name, number))
        guard names.count >= 2 * limit else { return }
        names = sorted
        bound = names.last?.name
    }

    /// The lowest names so far, ascending.
    var sorted: [(name: String, number: SetNumber)] {
        Array(names.sorted { $0.name.isBefore($1.name) }.prefix(limit))
    }
}
