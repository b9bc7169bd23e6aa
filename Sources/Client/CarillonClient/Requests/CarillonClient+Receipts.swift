public import CarillonCore
import CarillonWire

/// Requests about receipts of pushes.
extension CarillonClient {
    /// Reports pushes that have arrived or were opened, in as few requests as the server allows. Each device of a
    /// message counts once for each kind, so it does no harm to report it again, for example after an error.
    public func reportReceipts(_ receipts: [Receipt], app: AppID) async throws(CarillonError) -> ReceiptResult {
        var result = ReceiptResult(counted: 0)
        var rest = receipts[...]
        while !rest.isEmpty {
            let batch = try await serverInfo().fitting(rest)
            let count = try await request(ReceiptsRequest(app: app, receipts: Array(batch)))
            result.counted += Int(count.counted)
            result.unknown += count.unknown.map { batch.startIndex + Int($0) }
            rest = rest[batch.endIndex...]
        }
        return result
    }

    /// Returns one page of the devices whose receipt of that kind has come: at most `limit` (1 to 1,000) from `cursor`
    /// on.
    public func devices(
        withReceipt kind: ReceiptKind,
        of message: MessageID,
        app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceID, UInt64> {
        let query = ReceiptDevicesRequest(
            app: app, id: message, kind: kind, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(page)
    }

    /// Returns the devices whose receipt of that kind has come, ascending; fetched as they are consumed.
    public func devices(
        withReceipt kind: ReceiptKind,
        of message: MessageID,
        app: AppID
    ) -> Listing<DeviceID, UInt64> {
        Listing { cursor throws(CarillonError) in
            try await self.devices(withReceipt: kind, of: message, app: app, from: cursor)
        }
    }
}

extension ServerInfo {
    /// Returns the first of `receipts`, as many as one request may hold; at least one.
    fileprivate func fitting(_ receipts: ArraySlice<Receipt>) -> ArraySlice<Receipt> {
        var bytes = ReceiptsRequest.maximumBytesWithoutReceipts
        let count = receipts.prefix(min(batchLimit, WireLimits.batchItems)).prefix { receipt in
            bytes += receipt.byteCount
            return bytes <= frameLimit
        }.count
        return receipts.prefix(max(count, 1))
    }
}

/// The result of reporting receipts.
public struct ReceiptResult: Hashable, Sendable {
    /// The number of receipts that are new.
    public var counted: Int
    /// The indices of the receipts that name no message, or no device of it.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(counted: Int, unknown: [Int] = []) {
        self.counted = counted
        self.unknown = unknown
    }
}
