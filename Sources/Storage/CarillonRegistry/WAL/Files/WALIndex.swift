import CarillonCore

/// The index of a write-ahead log: the offsets at which records begin, by their LSN. Making it takes one pass over the
/// file.
///
/// A record may be anywhere in the file (``WriteAheadLog``). With the index a reader finds the next one without another
/// pass, in however many extents the records are.
struct WALIndex {
    /// The beginning of a record, which need not be whole.
    struct Start {
        let lsn: UInt64
        let offset: Int
    }

    /// The starts, sorted by LSN, and by offset among those with the same LSN.
    let starts: [Start]

    /// The most starts of an index. A log with more records was not written by this program: the index would take 64
    /// MiB.
    private static let maximumStarts = 1 << 22

    /// Reads the beginnings of all records whose LSN is above `lsn`.
    ///
    /// - Throws: `.storageFailed` if the file cannot be read, or has more records than any log.
    init(_ file: WALFile, format: WALHeader.RecordFormat, above lsn: UInt64) throws(RegistryError) {
        var starts: [Start] = []
        try Self.forEachOffset(in: file, format: format) { (offset) throws(RegistryError) in
            guard let probe = try WALRecord.probe(at: offset, in: file), probe.secret == format.secret, probe.lsn > lsn
            else { return }
            guard starts.count < Self.maximumStarts else {
                throw .storageFailed("data.wal: more than \(Self.maximumStarts) records")
            }
            starts.append(Start(lsn: probe.lsn, offset: offset))
        }
        self.starts = starts.sorted { ($0.lsn, $0.offset) < ($1.lsn, $1.offset) }
    }

    /// Returns the offsets at which records with an LSN begin, ascending: usually one at most.
    func offsets(of lsn: UInt64) -> [Int] {
        starts[firstIndex(from: lsn)...].prefix { $0.lsn == lsn }.map(\.offset)
    }

    /// Returns the starts with an LSN above `lsn`, by offset.
    func startsByOffset(above lsn: UInt64) -> [Start] {
        guard lsn < .max else { return [] }
        return starts[firstIndex(from: lsn + 1)...].sorted { $0.offset < $1.offset }
    }

    /// Returns the index of the first start whose LSN is `lsn` or above.
    private func firstIndex(from lsn: UInt64) -> Int {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = low + (high - low) / 2
            if starts[middle].lsn < lsn { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: The pass

    private static let bytesPerRead = 1 << 20

    /// Calls `body` with each offset at which a record may begin, ascending.
    private static func forEachOffset(
        in file: WALFile, format: WALHeader.RecordFormat, _ body: (Int) throws(RegistryError) -> Void
    ) throws(RegistryError) {
        let byteCount = try file.byteCount
        var offset = format.version.firstRecordOffset
        guard format.version == .one else {
            while offset < byteCount {
                try body(offset)
                offset += WALRecord.alignment
            }
            return
        }
        // Records of version 1 may begin at any byte, so the secret, which each of them has, is searched for.
        let needle = withUnsafeBytes(of: format.secret.bigEndian) { Array($0) }
        offset += WALRecord.prefixBytes
        while offset < byteCount {
            let bytes = try file.read(bytesPerRead, at: offset)
            var start = 0
            while let found = index(of: needle, in: bytes, from: start) {
                try body(offset + found - WALRecord.prefixBytes)
                start = found + 1
            }
            guard bytes.count == bytesPerRead else { return }
            // The secret may begin in the bytes of this read and end in those of the next one.
            offset += bytes.count - needle.count + 1
        }
    }

    private static func index(of needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var start = start
        while let found = bytes[start...].firstIndex(of: needle[0]) {
            if bytes[found...].starts(with: needle) { return found }
            start = found + 1
        }
        return nil
    }
}
