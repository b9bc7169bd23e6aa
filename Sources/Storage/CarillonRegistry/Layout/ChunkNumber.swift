import CarillonCore

/// The number of a chunk: 4,096 consecutive device ids of an app. Postings and live pages have one row a chunk.
typealias ChunkNumber = UInt32

extension DeviceID {
    /// The chunk of the device. Ids are less than `AppTable.deviceBound`, so the number fits.
    var chunk: ChunkNumber { ChunkNumber(truncatingIfNeeded: rawValue >> 12) }

    /// The offset of the device in its chunk.
    var offset: UInt16 { UInt16(truncatingIfNeeded: rawValue & 0xFFF) }

    /// Makes the id of the device at an offset of a chunk.
    init(chunk: ChunkNumber, offset: UInt16) {
        self.init(rawValue: UInt64(chunk) << 12 | UInt64(offset))
    }
}
