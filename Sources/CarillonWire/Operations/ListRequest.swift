package import CarillonCore

/// A read of many rows, whatever its operation.
package struct ListRequest: Hashable, Sendable {
    /// The request.
    package let operation: any ListingOperation

    /// Makes it of a request.
    package init(_ operation: any ListingOperation) {
        self.operation = operation
    }

    /// The app.
    package var app: AppID { operation.app }
    /// The rules of its operation.
    package var rules: OperationRules { type(of: operation).rules }

    /// The request with a `limit` so small that its page has at most `bytes` of payload, at least 4,096.
    package func answered(within bytes: UInt32) -> ListRequest {
        ListRequest(operation.answered(within: bytes))
    }

    /// Reads the answer and encodes it; an error if the device or message of the request does not exist. Blocks.
    package func read(from registry: any Registry) throws(RegistryError) -> Result<EncodedAnswer, ErrorReply> {
        try Self.read(operation, from: registry)
    }

    private static func read<O: ListingOperation>(
        _ operation: O, from registry: any Registry
    ) throws(RegistryError) -> Result<EncodedAnswer, ErrorReply> {
        try operation.read(from: registry).map { EncodedAnswer($0, to: O.self) }
    }

    /// Returns true if both are the same request.
    package static func == (left: ListRequest, right: ListRequest) -> Bool {
        left.operation.isEqual(to: right.operation)
    }

    /// Feeds the request to a hasher.
    package func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
    }
}
