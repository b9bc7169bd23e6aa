package import CarillonCore

/// A request of any operation that reads many rows.
package struct LongReadRequest: Hashable, Sendable {
    package let operation: any LongReadOperation

    package init(_ operation: any LongReadOperation) {
        self.operation = operation
    }

    package var app: AppID { operation.app }
    package var tableRow: OperationTable.Row { type(of: operation).tableRow }

    /// Reads the answer and encodes it; returns an error if the device or message of the request does not exist.
    /// Blocks.
    ///
    /// - Parameter bytes: the most bytes that the payload of a page may have, at least 4,096. A page that has more is
    ///   read again with fewer rows. The fourth read, at the latest, takes so few that even the longest rows fit.
    package func read(
        from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        if let operation = operation as? any LongReadOperation & PagedOperation {
            return try Self.readPage(operation, from: registry, within: bytes)
        }
        return try Self.read(operation, from: registry)
    }

    private static func read<O: LongReadOperation>(
        _ operation: O, from registry: any ListingReads
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        try operation.read(from: registry).map { EncodedAnswer($0, to: O.self) }
    }

    /// The number of times that a page is read with a limit that may be too high.
    private static let maximumAttempts = 3

    private static func readPage<O: LongReadOperation & PagedOperation>(
        _ operation: O, from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        var operation = operation.boundingUsualPage(toBytes: bytes)
        var attempt = 1
        while true {
            let result = try read(operation, from: registry)
            guard case .success(let answer) = result, answer.payload.count > Int(bytes),
                let shorter = operation.shrinkingPage(ofBytes: answer.payload.count, toBytes: bytes)
            else { return result }
            operation = attempt < maximumAttempts ? shorter : operation.boundingPage(toBytes: bytes)
            attempt += 1
        }
    }

    package static func == (left: LongReadRequest, right: LongReadRequest) -> Bool {
        left.operation.isEqual(to: right.operation)
    }

    package func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
    }
}
