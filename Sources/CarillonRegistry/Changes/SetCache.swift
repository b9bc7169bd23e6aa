import CarillonCore
import CarillonLMDB

/// A set as the writer has it in memory: its record, and those of its chunks that were touched.
final class CachedSet {
    let app: AppNumber
    let label: SetLabel
    let number: SetNumber
    /// The record differs from the stored one. Set by whoever changes the counts, through `SetCache`.
    fileprivate(set) var record: SetRecord
    /// Of a group: what it holds, once it was asked for.
    fileprivate var held: [SetNumber]?
    fileprivate var chunks: [ChunkNumber: CachedChunk] = [:]
    /// Device ids come in runs: most changes touch the chunk of the one before.
    fileprivate var lastChunk: CachedChunk?
    /// Those that differ from the stored ones.
    fileprivate var changedChunks: [CachedChunk] = []
    fileprivate var isChanged = false
    /// It was made since the last commit.
    fileprivate var isNew = false

    fileprivate init(app: AppNumber, label: SetLabel, record: SetRecord) {
        self.app = app
        self.label = label
        self.number = record.number
        self.record = record
    }
}

private final class CachedChunk {
    let number: ChunkNumber
    var bits: ChunkBits
    var count: Int
    var isChanged = false

    init(number: ChunkNumber, bits: ChunkBits) {
        self.number = number
        self.bits = bits
        count = bits.count
    }
}

/// All that the sets which follow from the record of an active device depend on.
struct DeviceTraits: Hashable {
    private let app: AppNumber
    private let environment: CarillonCore.Environment
    private let kind: TokenKind
    private let locale: String?
    private let attributes: Attributes

    init(_ device: Device, _ app: AppNumber) {
        self.app = app
        environment = device.address.environment
        kind = device.address.kind
        locale = device.locale
        attributes = device.attributes
    }
}

/// The sets that a batch touches: their postings are read once, changed in memory and written once.
///
/// Whoever reads postings or records of sets from the disk inside a batch calls `flush` first. Between batches it keeps what
/// is clean, up to a bound; after an aborted transaction it is to `forget`.
final class SetCache {
    private let layout: Layout
    private var byLabel: [Key: CachedSet] = [:]
    private var byNumber: [UInt64: CachedSet] = [:]
    private var changed: [CachedSet] = []
    private var chunkCount = 0
    /// Sets of `byLabel`. Devices that come by the million have few traits between them.
    private var derived: [DeviceTraits: [CachedSet]] = [:]
    /// What was asked for last of `derived`: most devices are like the one before.
    private var lastDerived: (traits: DeviceTraits, sets: [CachedSet])?
    /// A set of `byLabel`: all devices of the app that was asked for last.
    private var lastAll: CachedSet?
    /// Topics of apps, as far as they were asked for.
    private var topicCounts: [AppNumber: Int] = [:]

    /// About 20 MB.
    private static let chunkLimit = 32_768
    /// Chunks kept between batches: the next one has room for more.
    private static let keptChunkLimit = 28_672
    /// About 10 MB.
    private static let setLimit = 32_768
    /// About 2 MB.
    private static let derivedLimit = 4_096

    private struct Key: Hashable {
        let app: AppNumber
        let label: SetLabel
    }

    init(layout: Layout) {
        self.layout = layout
    }

    // MARK: Sets

    /// The set of that name, if it exists.
    func find(
        _ app: AppNumber,
        _ label: SetLabel,
        _ transaction: borrowing WriteTransaction
    ) throws -> CachedSet? {
        if let cached = byLabel[Key(app: app, label: label)] { return cached }
        guard let record = try layout.sets.get(transaction, app, label) else { return nil }
        return keep(CachedSet(app: app, label: label, record: record))
    }

    /// The set of that number, which something stored names.
    func find(
        _ app: AppNumber,
        _ number: SetNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> CachedSet {
        if let cached = byNumber[UInt64(app) << 32 | UInt64(number)] { return cached }
        guard let label = try layout.setNames.get(transaction, app, number),
            let set = try find(app, label, transaction), set.number == number
        else { throw RegistryError.corrupted("setnames: a set that is not there") }
        return set
    }

    /// All active devices of an app; nil if it never had one.
    func all(of app: AppNumber, _ transaction: borrowing WriteTransaction) throws -> CachedSet? {
        if let lastAll, lastAll.app == app { return lastAll }
        lastAll = try find(app, .all, transaction)
        return lastAll
    }

    /// Whether all topics of an app, with so many new ones, are not too many for one device.
    func topicsFit(
        _ app: AppNumber, adding new: Int, _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        try topicCount(of: app, transaction) <= MembershipLimits.topics - new
    }

    private func topicCount(of app: AppNumber, _ transaction: borrowing WriteTransaction) throws -> Int {
        if let count = topicCounts[app] { return count }
        var count = changed.count { $0.isNew && $0.app == app && $0.label.kind == .topic }
        let limit = MembershipLimits.topics + 1
        var stored = 0
        try layout.sets.forEach(transaction, app, .topic, prefix: "", after: "", limit: limit) { _, _ in stored += 1 }
        // Of too many it is not known how many there are: they stay too many.
        count += stored < limit ? stored : .max / 2
        topicCounts[app] = count
        return count
    }

    /// Makes a set that does not exist.
    func make(
        _ app: AppNumber,
        _ label: SetLabel,
        number: SetNumber,
        in transaction: inout WriteTransaction
    ) throws -> CachedSet {
        try layout.setNames.put(&transaction, app, number, label)
        let set = keep(CachedSet(app: app, label: label, record: SetRecord(number: number)))
        set.isNew = true
        note(set)
        if label.kind == .topic { topicCounts[app]? += 1 }
        return set
    }

    /// The sets that follow from those traits; nil if they were not asked for lately.
    func derived(from traits: DeviceTraits) -> [CachedSet]? {
        if let lastDerived, lastDerived.traits == traits { return lastDerived.sets }
        guard let known = derived[traits] else { return nil }
        lastDerived = (traits, known)
        return known
    }

    /// Takes note of the sets that follow from those traits.
    func note(_ sets: [CachedSet], derivedFrom traits: DeviceTraits) {
        if derived.count >= Self.derivedLimit { derived = [:] }
        derived[traits] = sets
    }

    /// Counts groups that hold a topic, or topics that a group holds.
    func addHolders(_ difference: Int, to set: CachedSet) throws {
        set.record.holders = try Self.sum(set.record.holders, difference)
        note(set)
    }

    /// Counts quarantined devices whose memberships name a set.
    func addDormant(_ difference: Int, to set: CachedSet) throws {
        set.record.dormant = try Self.sum(set.record.dormant, difference)
        note(set)
    }

    private static func sum(_ count: UInt32, _ difference: Int) throws -> UInt32 {
        guard let sum = UInt32(exactly: Int(count) + difference) else { throw RegistryError.corrupted("sets: a count") }
        return sum
    }

    private func keep(_ set: CachedSet) -> CachedSet {
        byLabel[Key(app: set.app, label: set.label)] = set
        byNumber[UInt64(set.app) << 32 | UInt64(set.number)] = set
        return set
    }

    private func note(_ set: CachedSet) {
        if !set.isChanged { changed.append(set) }
        set.isChanged = true
    }

    private func note(_ chunk: CachedChunk, of set: CachedSet) {
        if !chunk.isChanged { set.changedChunks.append(chunk) }
        chunk.isChanged = true
        note(set)
    }

    // MARK: What groups hold

    /// The topics that a group holds for its devices, ascending; the set of the muted among them.
    func held(by group: CachedSet, _ transaction: borrowing WriteTransaction) throws -> [SetNumber] {
        if let held = group.held { return held }
        let held =
            group.record.holders == 0 ? [] : try layout.groupTopics.topics(transaction, group.app, group: group.number)
        group.held = held
        return held
    }

    /// Lets a group hold a topic; false if it did.
    func hold(_ topic: CachedSet, by group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        var held = try held(by: group, transaction)
        guard held.add(topic.number) else { return false }
        try layout.groupTopics.insert(&transaction, group.app, group: group.number, topic: topic.number)
        try addHolders(1, to: group)
        try addHolders(1, to: topic)
        group.held = held
        return true
    }

    /// Lets a group hold a topic no longer; false if it did not.
    func release(_ topic: CachedSet, by group: CachedSet, in transaction: inout WriteTransaction) throws -> Bool {
        var held = try held(by: group, transaction)
        guard held.drop(topic.number) else { return false }
        try layout.groupTopics.delete(&transaction, group.app, group: group.number, topic: topic.number)
        try addHolders(-1, to: group)
        try addHolders(-1, to: topic)
        group.held = held
        return true
    }

    // MARK: Postings

    /// Whether a device is in a set.
    func contains(_ id: DeviceID, in set: CachedSet, _ transaction: borrowing WriteTransaction) throws -> Bool {
        try chunk(id.chunk, of: set, transaction).bits.contains(id.offset)
    }

    /// Puts a device into a set; false if it was in it.
    @discardableResult
    func insert(_ id: DeviceID, into set: CachedSet, _ transaction: borrowing WriteTransaction) throws -> Bool {
        let chunk = try chunk(id.chunk, of: set, transaction)
        guard chunk.bits.insert(id.offset) else { return false }
        chunk.count += 1
        set.record.devices += 1
        note(chunk, of: set)
        return true
    }

    /// Takes a device out of a set, if it is in it.
    func remove(_ id: DeviceID, from set: CachedSet, _ transaction: borrowing WriteTransaction) throws {
        let chunk = try chunk(id.chunk, of: set, transaction)
        guard chunk.bits.remove(id.offset) else { return }
        chunk.count -= 1
        try takeDevices(1, from: set)
        note(chunk, of: set)
    }

    /// Puts the devices of a chunk into a set.
    func insert(
        _ bits: ChunkBits,
        at number: ChunkNumber,
        into set: CachedSet,
        in transaction: inout WriteTransaction
    ) throws {
        let chunk = try chunk(number, of: set, transaction)
        let before = chunk.count
        chunk.bits.formUnion(bits)
        chunk.count = chunk.bits.count
        guard chunk.count > before else { return }
        set.record.devices += UInt64(chunk.count - before)
        note(chunk, of: set)
        try relieve(&transaction)
    }

    /// Takes the devices of a chunk out of a set.
    func remove(
        _ bits: ChunkBits,
        at number: ChunkNumber,
        from set: CachedSet,
        in transaction: inout WriteTransaction
    ) throws {
        let chunk = try chunk(number, of: set, transaction)
        let before = chunk.count
        chunk.bits.subtract(bits)
        chunk.count = chunk.bits.count
        guard chunk.count < before else { return }
        try takeDevices(UInt64(before - chunk.count), from: set)
        note(chunk, of: set)
        try relieve(&transaction)
    }

    /// The devices of a set in a chunk.
    func bits(
        of set: CachedSet,
        at number: ChunkNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> ChunkBits {
        try chunk(number, of: set, transaction).bits
    }

    /// The chunks of a set that have devices, ascending.
    func chunks(of set: CachedSet, _ transaction: borrowing WriteTransaction) throws -> [ChunkNumber] {
        var numbers: Set<ChunkNumber> = []
        try layout.postings.forEach(transaction, set.app, set.number) { number, _ in
            numbers.insert(number)
            return .goOn
        }
        for chunk in set.chunks.values {
            if chunk.count > 0 { numbers.insert(chunk.number) } else { numbers.remove(chunk.number) }
        }
        return numbers.sorted()
    }

    private func takeDevices(_ count: UInt64, from set: CachedSet) throws {
        guard set.record.devices >= count else { throw RegistryError.corrupted("sets: fewer devices than postings") }
        set.record.devices -= count
    }

    private func chunk(
        _ number: ChunkNumber,
        of set: CachedSet,
        _ transaction: borrowing WriteTransaction
    ) throws -> CachedChunk {
        if let last = set.lastChunk, last.number == number { return last }
        let chunk: CachedChunk
        if let cached = set.chunks[number] {
            chunk = cached
        } else {
            let stored = try layout.postings.get(transaction, set.app, set.number, number)
            chunk = CachedChunk(number: number, bits: stored ?? ChunkBits())
            set.chunks[number] = chunk
            chunkCount += 1
        }
        set.lastChunk = chunk
        return chunk
    }

    // MARK: Writing

    /// Writes everything that has changed; a set that nothing needs any more is removed.
    func flush(_ transaction: inout WriteTransaction) throws {
        guard !changed.isEmpty else { return }
        // In the order of the keys, so that one page after the other is changed.
        changed.sort { ($0.app, $0.number) < ($1.app, $1.number) }
        for set in changed {
            try writeChunks(of: set, &transaction)
            (set.isChanged, set.isNew) = (false, false)
            if set.record.isIdle {
                try layout.sets.delete(&transaction, set.app, set.label)
                try layout.setNames.delete(&transaction, set.app, set.number)
                byLabel[Key(app: set.app, label: set.label)] = nil
                byNumber[UInt64(set.app) << 32 | UInt64(set.number)] = nil
                if set.label.isDerived { (derived, lastDerived, lastAll) = ([:], nil, nil) }
                if set.label.kind == .topic { topicCounts[set.app]? -= 1 }
                chunkCount -= set.chunks.count
            } else {
                try layout.sets.put(&transaction, set.app, set.label, set.record)
            }
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Lets go of chunks, written before, when there are too many of them: a single change may touch any number.
    func relieve(_ transaction: inout WriteTransaction) throws {
        guard chunkCount > Self.chunkLimit else { return }
        changed.sort { ($0.app, $0.number) < ($1.app, $1.number) }
        for set in changed { try writeChunks(of: set, &transaction) }
        forgetChunks()
    }

    /// Whether there are more sets than are kept after a commit.
    var isFull: Bool { byLabel.count > Self.setLimit }

    /// What is in memory is on the disk: keeps it if it is not too much.
    func committed() {
        if isFull {
            forget()
        } else if chunkCount > Self.keptChunkLimit {
            forgetChunks()
        }
    }

    /// What is in memory is not on the disk.
    func forget() {
        byLabel = [:]
        byNumber = [:]
        derived = [:]
        lastDerived = nil
        lastAll = nil
        topicCounts = [:]
        changed = []
        chunkCount = 0
    }

    private func writeChunks(of set: CachedSet, _ transaction: inout WriteTransaction) throws {
        set.changedChunks.sort { $0.number < $1.number }
        for chunk in set.changedChunks {
            if chunk.count == 0 {
                try layout.postings.delete(&transaction, set.app, set.number, chunk.number)
            } else {
                try layout.postings.put(
                    &transaction, set.app, set.number, chunk.number, chunk.bits, count: chunk.count)
            }
            chunk.isChanged = false
        }
        set.changedChunks.removeAll(keepingCapacity: true)
    }

    private func forgetChunks() {
        for set in byLabel.values where set.lastChunk != nil {
            set.chunks = [:]
            set.lastChunk = nil
        }
        chunkCount = 0
    }
}
