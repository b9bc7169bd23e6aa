package import CarillonCore

/// A request of any operation that reads many rows.
package struct LongReadRequest: Hashable, Sendable {
    package let operation: any LongReadOperation

    package init(_ operation: any LongReadOperation) {
        self.operation = operation
    }

    package var app: AppID { operation.app }
    package var tableRow: OperationTable.Row { type(of: operation).tableRow }

    /// Reads the answer and encodes it, as ``LongReadOperation/readEncoded(from:within:)`` does.
    package func read(
        from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        try operation.readEncoded(from: registry, within: bytes)
    }

    package static func == (left: LongReadRequest, right: LongReadRequest) -> Bool {
        left.operation.isEqual(to: right.operation)
    }

    package func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
    }
}
