/// A request to count receipts (RECEIPTS, Protocol 12.1).
package struct ReceiptsRequest: Hashable, Sendable {
    package var app: AppID
    /// The receipts of pushes that have arrived or were opened, 1 to 1,000.
    package var receipts: [Receipt]

    package init(app: AppID, receipts: [Receipt]) {
        self.app = app
        self.receipts = receipts
    }
}
