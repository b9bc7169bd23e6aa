import CarillonCore
import CarillonLMDB

/// A set in the memory of the writer: its record, and the chunks that were used.
final class CachedSet {
    let app: AppNumber
    let label: SetLabel
    let number: SetNumber
    /// The record, which may differ from the stored one. Only `SetCache` changes it.
    var record: SetRecord
    /// The topics of a group; nil until they are read.
    var topics: [SetNumber]?
    var chunks: [ChunkNumber: CachedChunk] = [:]
    /// The chunk of the last change: device ids come in runs, so most changes use the same chunk.
    var lastChunk: CachedChunk?
    /// The chunks that differ from the stored ones.
    var changedChunks: [CachedChunk] = []
    var isChanged = false
    /// True if the set was made and is in no table yet.
    var isNew = false
    /// True if the set was removed, and must not be written.
    var isRemoved = false

    init(app: AppNumber, label: SetLabel, record: SetRecord) {
        self.app = app
        self.label = label
        self.number = record.number
        self.record = record
    }
}

final class CachedChunk {
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

/// The parts of a device record that decide its derived sets.
struct DeviceTraits: Hashable {
    private let app: AppNumber
    private let environment: APNsEnvironment
    private let kind: TokenKind
    private let locale: String?
    private let attributes: Attributes

    init(_ device: DeviceRecord, app: AppNumber) {
        self.app = app
        environment = device.address.environment
        kind = device.address.kind
        locale = device.locale
        attributes = device.attributes
    }
}
