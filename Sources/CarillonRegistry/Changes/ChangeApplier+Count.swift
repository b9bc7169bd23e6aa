import CarillonCore
import CarillonLMDB

extension ChangeApplier {
    /// RECEIPTS: each device of a message counts once a kind, whatever became of it there.
    func count(
        _ receipts: [Receipt],
        app: AppID,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let number = try knownApp(app, transaction) else {
            return .counted(0, unknown: receipts.indices.map { UInt32($0) })
        }
        var unknown: [UInt32] = []
        var known: [Named] = []
        for (index, receipt) in receipts.enumerated() {
            if let device = try recipient(receipt.device, number, transaction) {
                known.append(Named(message: receipt.message, device: device, kind: receipt.kind, index: UInt32(index)))
            } else {
                unknown.append(UInt32(index))
            }
        }
        // In the order of what is stored: each page and each chunk is read once.
        known.sort { ($0.message, $0.kind.rawValue, $0.device) < ($1.message, $1.kind.rawValue, $1.device) }
        var counted: UInt32 = 0
        var rest = known[...]
        while let message = rest.first?.message {
            let batch = rest.prefix { $0.message == message }
            rest = rest.dropFirst(batch.count)
            guard var progress = try layout.progress.get(transaction, message), progress.app == number else {
                unknown += batch.map(\.index)
                continue
            }
            let new = try count(batch, &progress, &unknown, in: &transaction)
            guard new > 0 else { continue }
            try layout.progress.put(&transaction, message, progress)
            counted += new
        }
        return .counted(counted, unknown: unknown.sorted())
    }

    private struct Named {
        let message: MessageID
        let device: DeviceID
        let kind: ReceiptKind
        let index: UInt32
    }

    /// The device of a receipt; by id also one that is not registered any more.
    private func recipient(
        _ reference: DeviceReference,
        _ app: AppNumber,
        _ transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        guard case .id(let id) = reference else { return try device(reference, app, transaction)?.id }
        return (1..<AppTable.deviceBound).contains(id.rawValue) ? id : nil
    }

    /// Counts the receipts of one message; returns how many are new.
    private func count(
        _ batch: ArraySlice<Named>,
        _ progress: inout Progress,
        _ unknown: inout [UInt32],
        in transaction: inout WriteTransaction
    ) throws -> UInt32 {
        var recipients = RecipientSearch(layout: layout, progress: progress)
        var counted: UInt32 = 0
        var rest = batch
        while let first = rest.first {
            let place = ReceiptTable.Place(message: first.message, kind: first.kind, chunk: first.device.chunk)
            let inChunk = rest.prefix { $0.kind == place.kind && $0.device.chunk == place.chunk }
            rest = rest.dropFirst(inChunk.count)
            var bits = try layout.receipts.get(transaction, place)
            var new: UInt32 = 0
            for receipt in inChunk {
                guard try recipients.contains(receipt.device, of: receipt.message, transaction) else {
                    unknown.append(receipt.index)
                    continue
                }
                guard !bits.contains(receipt.device.offset) else { continue }
                bits.insert(receipt.device.offset)
                new += 1
            }
            guard new > 0 else { continue }
            try layout.receipts.put(&transaction, place, bits)
            switch place.kind {
            case .received: progress.received += UInt64(new)
            case .opened: progress.opened += UInt64(new)
            }
            counted += new
        }
        return counted
    }
}

/// Finds devices among the recipients of a message; asked in ascending order it reads each page once.
struct RecipientSearch {
    private let layout: Layout
    private let progress: Progress
    private var page: (number: UInt32, ids: [UInt64])?
    private var chunk: (number: ChunkNumber, addressed: ChunkBits)?

    init(layout: Layout, progress: Progress) {
        self.layout = layout
        self.progress = progress
    }

    /// Whether the message is addressed to the device; of a live audience, whether a page that is fixed is.
    mutating func contains(
        _ device: DeviceID,
        of message: MessageID,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        guard !progress.isLive else {
            if let chunk, chunk.number == device.chunk { return chunk.addressed.contains(device.offset) }
            let addressed = try layout.outcomes.getLive(transaction, message, page: device.chunk)?.addressed
            chunk = (device.chunk, addressed ?? ChunkBits())
            return addressed?.contains(device.offset) ?? false
        }
        let isInPage = page.map { page in
            page.ids.first.map { $0 <= device.rawValue } ?? false
                && page.ids.last.map { device.rawValue <= $0 } ?? false
        }
        if isInPage != true { page = try findPage(of: device, message, transaction) }
        guard let ids = page?.ids else { return false }
        let place = Self.lowerBound(of: device.rawValue, in: 0..<ids.count) { ids[$0] }
        return place < ids.count && ids[place] == device.rawValue
    }

    /// The last page that begins with the device or before it.
    private func findPage(
        of device: DeviceID,
        _ message: MessageID,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> (UInt32, [UInt64])? {
        let after = try Self.lowerBound(of: device.rawValue + 1, in: 0..<Int(progress.pages)) { page in
            guard let first = try layout.recipients.first(transaction, message, page: UInt32(page)) else {
                throw RegistryError.corrupted("recipients: a page is missing")
            }
            return first
        }
        guard after > 0 else { return nil }
        let page = UInt32(after - 1)
        return try layout.recipients.get(transaction, message, page: page).map { (page, $0) }
    }

    /// The first place whose value is not below `value`; values ascend.
    private static func lowerBound(
        of value: UInt64,
        in range: Range<Int>,
        _ element: (Int) throws -> UInt64
    ) rethrows -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try element(middle) < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
