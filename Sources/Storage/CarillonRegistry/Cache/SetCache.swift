import CarillonCore
import CarillonLMDB

/// The sets that the open transaction uses. Their postings are read once, changed in memory, and written before the
/// commit.
///
/// Call `flush` before postings or records of sets are read from the tables inside the transaction. After a commit the
/// cache keeps its sets, which are clean then, or none if they are too many. Call `evictAll` after an aborted
/// transaction.
///
/// A single change may use any number of sets, so it calls `shrinkIfFull` after every few of them. Sets that a caller
/// holds stay in the cache, so that there is never a second object for one set.
final class SetCache {
    let tables: Tables
    private let limits: Limits
    private var contents = Contents()
    private var changedSets: [CachedSet] = []
    /// The number of topics of apps, where it is known.
    private var topicCounts: [AppNumber: Int] = [:]

    /// The keys (``key(_:app:)``) of the sets that no row needed at some time during this change.
    private var idleKeys: [UInt64] = []
    /// The number of sets that could not be evicted when it was tried last.
    private var heldSetCount = 0

    /// The limits of the memory for sets.
    struct Limits {
        /// The most sets that are kept after a commit, about 10 MB without their chunks and topics.
        var sets = 32_768
        /// The most chunks: about 20 MB.
        var chunks = 32_768
        /// The number of chunks that are kept after a commit: the next transaction has room for more.
        var keptChunks = 28_672
        /// The most topics of groups: about 16 MB.
        var groupTopics = 4 << 20
    }

    /// The sets in memory, and what follows from them. They are evicted together.
    private struct Contents {
        var byLabel: [Key: CachedSet] = [:]
        var byNumber: [UInt64: CachedSet] = [:]
        var derived = DerivedSets()
        /// The number of chunks of the sets.
        var chunkCount = 0
        /// The number of topics of groups in memory.
        var groupTopicCount = 0
    }

    /// Shortcuts to sets of `Contents.byLabel` that follow from traits of devices.
    private struct DerivedSets {
        /// The sets by the traits of devices: millions of devices have few different traits.
        var byTraits: [DeviceTraits: [CachedSet]] = [:]
        /// The last result of `derivedSets`: most devices have the traits of the device before.
        var last: (traits: DeviceTraits, sets: [CachedSet])?
        /// The set of all devices of the app of the last call.
        var lastAll: CachedSet?

        /// The most entries of `byTraits`: about 2 MB.
        static let maximumCount = 4_096
    }

    private struct Key: Hashable {
        let app: AppNumber
        let label: SetLabel
    }

    init(tables: Tables, limits: Limits = Limits()) {
        self.tables = tables
        self.limits = limits
    }

    var count: Int { contents.byLabel.count }

    // MARK: Sets

    /// Returns the set of a label; nil if no such set exists.
    func find(_ label: SetLabel, app: AppNumber, in transaction: borrowing WriteTransaction) throws -> CachedSet? {
        if let cached = contents.byLabel[Key(app: app, label: label)] { return cached }
        guard let record = try tables.sets.get(label, app: app, in: transaction) else { return nil }
        return keep(CachedSet(app: app, label: label, record: record))
    }

    /// Returns the set of a number that a stored row names.
    func get(_ number: SetNumber, app: AppNumber, in transaction: borrowing WriteTransaction) throws -> CachedSet {
        if let cached = contents.byNumber[Self.key(number, app: app)] { return cached }
        guard let label = try tables.setNames.get(number, app: app, in: transaction),
            let set = try find(label, app: app, in: transaction), set.number == number
        else { throw RegistryError.corrupted("setnames: no row, or a wrong one, of set \(number)") }
        return set
    }

    /// Returns the set of all active devices of an app; nil if the app never had one.
    func allDevices(of app: AppNumber, in transaction: borrowing WriteTransaction) throws -> CachedSet? {
        if let last = contents.derived.lastAll, last.app == app { return last }
        let all = try find(.all, app: app, in: transaction)
        contents.derived.lastAll = all
        return all
    }

    /// Returns true if one device may have all topics of an app, and `new` further topics.
    func hasRoomForTopics(
        of app: AppNumber, adding new: Int, in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        try topicCount(of: app, in: transaction) <= MembershipLimits.topicsPerSubscriber - new
    }

    private func topicCount(of app: AppNumber, in transaction: borrowing WriteTransaction) throws -> Int {
        if let count = topicCounts[app] { return count }
        var count = changedSets.count { $0.isNew && $0.app == app && $0.label.kind == .topic }
        let limit = MembershipLimits.topicsPerSubscriber + 1
        var stored = 0
        try tables.sets.forEach(.topic, app: app, names: SetTable.NameRange(limit: limit), in: transaction) { _, _ in
            stored += 1
        }
        // The scan stops at the limit. The huge number keeps the count above the limit whatever is removed later, and
        // leaves room to add to it.
        count += stored < limit ? stored : .max / 2
        topicCounts[app] = count
        return count
    }

    /// Makes a set that does not exist, adds it to the cache, and writes the row of its name.
    func insert(
        _ label: SetLabel, number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction
    ) throws -> CachedSet {
        try tables.setNames.put(label, for: number, app: app, in: &transaction)
        let set = keep(CachedSet(app: app, label: label, record: SetRecord(number: number)))
        set.isNew = true
        markChanged(set)
        if label.kind == .topic { topicCounts[app]? += 1 }
        return set
    }

    /// Returns the sets that follow from traits; nil if they are not in the cache.
    func derivedSets(from traits: DeviceTraits) -> [CachedSet]? {
        if let last = contents.derived.last, last.traits == traits { return last.sets }
        guard let known = contents.derived.byTraits[traits] else { return nil }
        contents.derived.last = (traits, known)
        return known
    }

    /// Keeps the sets that follow from the traits of a device.
    func keep(_ sets: [CachedSet], derivedFrom traits: DeviceTraits) {
        if contents.derived.byTraits.count >= DerivedSets.maximumCount { contents.derived.byTraits = [:] }
        contents.derived.byTraits[traits] = sets
    }

    /// Changes the number of groups of a topic, or of topics of a group.
    func changeGroupSubscriptions(by difference: Int, of set: CachedSet) throws {
        set.record.groupSubscriptions = try Self.sum(set.record.groupSubscriptions, difference)
        markChanged(set)
    }

    /// Changes the number of quarantined devices whose memberships name a set.
    func changeQuarantinedMembers(by difference: Int, of set: CachedSet) throws {
        set.record.quarantinedMembers = try Self.sum(set.record.quarantinedMembers, difference)
        markChanged(set)
    }

    private static func sum(_ count: UInt32, _ difference: Int) throws -> UInt32 {
        guard let sum = UInt32(exactly: Int(count) + difference) else {
            throw RegistryError.corrupted("sets: a count out of range")
        }
        return sum
    }

    private func keep(_ set: CachedSet) -> CachedSet {
        contents.byLabel[Key(app: set.app, label: set.label)] = set
        contents.byNumber[Self.key(set.number, app: set.app)] = set
        return set
    }

    private func markChanged(_ set: CachedSet) {
        if !set.isChanged { changedSets.append(set) }
        set.isChanged = true
        if set.record.isIdle { idleKeys.append(Self.key(set.number, app: set.app)) }
    }

    /// Called when a chunk of a set has been read into memory.
    func chunkLoaded() { contents.chunkCount += 1 }

    func markChanged(_ chunk: CachedChunk, of set: CachedSet) {
        if !chunk.isChanged { set.changedChunks.append(chunk) }
        chunk.isChanged = true
        markChanged(set)
    }

    // MARK: Topics of groups

    /// Returns the numbers of a group's topics, ascending. For a muted group the list includes the set `muted`.
    func loadTopics(of group: CachedSet, in transaction: borrowing WriteTransaction) throws -> [SetNumber] {
        if let topics = group.topics { return topics }
        let topics =
            group.record.groupSubscriptions == 0
            ? [] : try tables.groupTopics.topics(app: group.app, group: group.number, in: transaction)
        group.topics = topics
        contents.groupTopicCount += topics.count
        return topics
    }

    /// Subscribes a group to a topic; returns false if it was subscribed.
    func addTopic(_ topic: CachedSet, to group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        var topics = try loadTopics(of: group, in: transaction)
        guard topics.insertSorted(topic.number) else { return false }
        try tables.groupTopics.insert(app: group.app, group: group.number, topic: topic.number, in: &transaction)
        try changeGroupSubscriptions(by: 1, of: group)
        try changeGroupSubscriptions(by: 1, of: topic)
        group.topics = topics
        return true
    }

    /// Ends the subscription of a group; returns false if it was not subscribed.
    func removeTopic(_ topic: CachedSet, from group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        var topics = try loadTopics(of: group, in: transaction)
        guard topics.removeSorted(topic.number) else { return false }
        try tables.groupTopics.delete(app: group.app, group: group.number, topic: topic.number, in: &transaction)
        try changeGroupSubscriptions(by: -1, of: group)
        try changeGroupSubscriptions(by: -1, of: topic)
        group.topics = topics
        return true
    }

    // MARK: Writing

    func flush(in transaction: inout WriteTransaction) throws {
        guard !changedSets.isEmpty else { return }
        // In the order of the keys: one page after the other.
        changedSets.sort { ($0.app, $0.number) < ($1.app, $1.number) }
        for set in changedSets where !set.isRemoved {
            try writeChunks(of: set, in: &transaction)
            set.isChanged = false
            set.isNew = false
            try tables.sets.put(set.record, for: set.label, app: set.app, in: &transaction)
        }
        changedSets.removeAll(keepingCapacity: true)
    }

    /// Removes the sets that no row needs. Call it at the end of each change. Before that, the change may
    /// still use the sets. After it, for example at a commit, replicas would remove a set at different changes, and a
    /// new set of that name would get different numbers.
    func removeIdleSets(in transaction: inout WriteTransaction) throws {
        guard !idleKeys.isEmpty else { return }
        for key in idleKeys {
            let app = AppNumber(key >> 32)
            let number = SetNumber(truncatingIfNeeded: key)
            if let set = contents.byNumber[key] {
                guard set.record.isIdle else { continue }
                try writeChunks(of: set, in: &transaction)
                set.isRemoved = true
                set.isNew = false
                try delete(set.label, number: number, app: app, in: &transaction)
            } else if let label = try tables.setNames.get(number, app: app, in: transaction),
                try tables.sets.get(label, app: app, in: transaction)?.isIdle == true
            {
                try delete(label, number: number, app: app, in: &transaction)
            }
        }
        idleKeys.removeAll(keepingCapacity: true)
    }

    /// Deletes the rows of a set that no row needs, and forgets the set.
    private func delete(
        _ label: SetLabel, number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        try tables.sets.delete(label, app: app, in: &transaction)
        try tables.setNames.delete(number, app: app, in: &transaction)
        if label.isDerived { contents.derived = DerivedSets() }
        if label.kind == .topic { topicCounts[app]? -= 1 }
        contents.byLabel[Key(app: app, label: label)] = nil
        guard let set = contents.byNumber.removeValue(forKey: Self.key(number, app: app)) else { return }
        contents.chunkCount -= set.chunks.count
        contents.groupTopicCount -= set.topics?.count ?? 0
    }

    private static func key(_ number: SetNumber, app: AppNumber) -> UInt64 { UInt64(app) << 32 | UInt64(number) }

    /// Writes and evicts all chunks if there are too many, because a single change may use any number of chunks.
    func evictChunksIfFull(in transaction: inout WriteTransaction) throws {
        guard contents.chunkCount > limits.chunks else { return }
        changedSets.sort { ($0.app, $0.number) < ($1.app, $1.number) }
        for set in changedSets { try writeChunks(of: set, in: &transaction) }
        evictChunks()
    }

    /// True if there are more sets than are kept after a commit.
    var exceedsKeptSets: Bool { contents.byLabel.count > limits.sets }

    /// Writes all changes and evicts the sets that no caller holds, if there are too many.
    func shrinkIfFull(in transaction: inout WriteTransaction) throws {
        guard needsEviction || contents.chunkCount > limits.chunks else { return }
        try flush(in: &transaction)
        evictUnused()
    }

    /// Evicts the sets that no caller holds and that are not changed, if there are too many.
    func evictUnusedIfFull() {
        if needsEviction { evictUnused() }
    }

    /// True if the sets in memory are too many for the changes that follow. Sets that callers held at the last eviction
    /// do not count.
    private var needsEviction: Bool {
        contents.byLabel.count > heldSetCount + limits.sets || contents.groupTopicCount > limits.groupTopics
    }

    private func evictUnused() {
        var sets = Array(contents.byLabel.values)
        contents = Contents()
        for index in sets.indices where !isKnownUniquelyReferenced(&sets[index]) {
            let set = keep(sets[index])
            // Chunks that differ from the tables stay.
            set.chunks = set.chunks.filter { $0.value.isChanged }
            set.lastChunk = set.chunks.values.first
            set.topics = nil
            contents.chunkCount += set.chunks.count
        }
        heldSetCount = contents.byLabel.count
    }

    /// Keeps the sets after a commit of the transaction, unless there are too many.
    func transactionCommitted() {
        heldSetCount = 0
        if exceedsKeptSets {
            evictAll()
        } else if contents.chunkCount > limits.keptChunks {
            evictChunks()
        }
    }

    /// Evicts everything: after an aborted transaction, or if too many sets would stay after a commit.
    func evictAll() {
        contents = Contents()
        topicCounts = [:]
        changedSets = []
        idleKeys = []
        heldSetCount = 0
    }

    private func writeChunks(of set: CachedSet, in transaction: inout WriteTransaction) throws {
        set.changedChunks.sort { $0.number < $1.number }
        for chunk in set.changedChunks {
            let rowKey = PostingTable.RowKey(app: set.app, set: set.number, chunk: chunk.number)
            if chunk.count == 0 {
                try tables.postings.delete(rowKey, in: &transaction)
            } else {
                try tables.postings.put(chunk.bits, count: chunk.count, at: rowKey, in: &transaction)
            }
            chunk.isChanged = false
        }
        set.changedChunks.removeAll(keepingCapacity: true)
    }

    private func evictChunks() {
        for set in contents.byLabel.values where set.lastChunk != nil {
            set.chunks = [:]
            set.lastChunk = nil
        }
        contents.chunkCount = 0
    }
}
