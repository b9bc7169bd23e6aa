import CarillonCore
import CarillonLMDB

/// Applies RECEIPTS: which pushes have arrived or were opened.
final class ReceiptApplier {
    private let tables: Tables
    private let ids: IDAllocator
    private let devices: DeviceFinder

    init(_ context: WriteContext) {
        tables = context.tables
        ids = context.ids
        devices = context.devices
    }

    /// Applies RECEIPTS: each device of a message counts once for each kind, whatever its outcome.
    func count(
        _ receipts: [Receipt],
        app: AppID,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        guard let app = try ids.knownNumber(of: app, in: transaction) else {
            return .receiptsCounted(0, unknown: receipts.indices.map { UInt32($0) })
        }
        var unknown: [UInt32] = []
        var known: [ResolvedReceipt] = []
        for (index, receipt) in receipts.enumerated() {
            if let device = try recipient(receipt.device, app: app, in: transaction) {
                known.append(
                    ResolvedReceipt(message: receipt.message, device: device, kind: receipt.kind, index: UInt32(index)))
            } else {
                unknown.append(UInt32(index))
            }
        }
        // The receipts are in the order of the stored rows, so each page and each chunk is read once.
        known.sort { ($0.message, $0.kind.rawValue, $0.device) < ($1.message, $1.kind.rawValue, $1.device) }
        var newCount: UInt32 = 0
        var rest = known[...]
        while let message = rest.first?.message {
            let batch = rest.prefix { $0.message == message }
            rest = rest.dropFirst(batch.count)
            guard var progress = try tables.progress.get(message, in: transaction), progress.app == app else {
                unknown += batch.map(\.index)
                continue
            }
            let newOfMessage = try count(batch, progress: &progress, unknown: &unknown, in: &transaction)
            guard newOfMessage > 0 else { continue }
            try tables.progress.put(progress, for: message, in: &transaction)
            newCount += newOfMessage
        }
        return .receiptsCounted(newCount, unknown: unknown.sorted())
    }

    /// A receipt whose device was found, with its index in the request.
    private struct ResolvedReceipt {
        let message: MessageID
        let device: DeviceID
        let kind: ReceiptKind
        let index: UInt32
    }

    /// Returns the device of a receipt; nil if there is none. An id may also belong to a device that is no
    /// longer registered.
    private func recipient(
        _ reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        guard case .id(let id) = reference else { return try devices.device(reference, app: app, in: transaction)?.id }
        return (1..<AppTable.deviceBound).contains(id.rawValue) ? id : nil
    }

    /// Counts the receipts of one message; returns the number of new ones.
    private func count(
        _ batch: ArraySlice<ResolvedReceipt>,
        progress: inout MessageProgress,
        unknown: inout [UInt32],
        in transaction: inout WriteTransaction
    ) throws -> UInt32 {
        var recipients = RecipientSearch(tables: tables, progress: progress)
        var newCount: UInt32 = 0
        var rest = batch
        while let first = rest.first {
            let rowKey = ReceiptTable.RowKey(message: first.message, kind: first.kind, chunk: first.device.chunk)
            let inChunk = rest.prefix { $0.kind == rowKey.kind && $0.device.chunk == rowKey.chunk }
            rest = rest.dropFirst(inChunk.count)
            var bits = try tables.receipts.get(rowKey, in: transaction)
            var newInChunk: UInt32 = 0
            for receipt in inChunk {
                guard try recipients.contains(receipt.device, of: receipt.message, in: transaction) else {
                    unknown.append(receipt.index)
                    continue
                }
                guard !bits.contains(receipt.device.offset) else { continue }
                bits.insert(receipt.device.offset)
                newInChunk += 1
            }
            guard newInChunk > 0 else { continue }
            try tables.receipts.put(bits, for: rowKey, in: &transaction)
            switch rowKey.kind {
            case .received: progress.receivedCount += UInt64(newInChunk)
            case .opened: progress.openedCount += UInt64(newInChunk)
            }
            newCount += newInChunk
        }
        return newCount
    }
}
