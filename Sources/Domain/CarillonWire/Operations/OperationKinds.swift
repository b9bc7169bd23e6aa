package import CarillonCore

/// An operation on one app.
package protocol AppOperation: Operation {
    /// The app that the request is about.
    var app: AppID { get }
}

extension AppOperation {
    package var namedApp: AppID? { app }
}

/// A read of a few rows. Many come together, and the registry answers them together.
package protocol PointReadOperation: AppOperation {}

/// A read of many rows, on a thread that may wait for the disk.
package protocol LongReadOperation: AppOperation {
    /// Reads the answer; returns an error if the device or message of the request does not exist. Blocks.
    func read(from registry: any ListingReads) throws(RegistryError) -> Result<Answer, RequestError>
    /// Reads the answer and encodes it; returns an error as ``read(from:)`` does. Blocks.
    ///
    /// - Parameter bytes: the most bytes that the payload of a page may have, at least 4,096. A page that has more is
    ///   read again with fewer rows. The fourth read, at the latest, takes so few that even the longest rows fit.
    func readEncoded(
        from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError>
}

extension LongReadOperation {
    package func readEncoded(
        from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        try read(from: registry).map { EncodedAnswer($0, to: Self.self) }
    }
}

extension LongReadOperation where Self: PagedOperation {
    package func readEncoded(
        from registry: any ListingReads, within bytes: UInt32
    ) throws(RegistryError) -> Result<EncodedAnswer, RequestError> {
        let attemptsWithEstimates = 3
        var operation = boundingUsualPage(toBytes: bytes)
        var attempt = 1
        while true {
            let result = try operation.read(from: registry).map { EncodedAnswer($0, to: Self.self) }
            guard case .success(let answer) = result, answer.payload.count > Int(bytes),
                let shorter = operation.shrinkingPage(ofBytes: answer.payload.count, toBytes: bytes)
            else { return result }
            operation = attempt < attemptsWithEstimates ? shorter : operation.boundingPage(toBytes: bytes)
            attempt += 1
        }
    }
}

/// A request that is one change of the registry and sends no message. Many come together, and the registry takes them
/// together.
package protocol ChangeOperation: AppOperation {
    /// Returns the change; `now` is the time at which the request was read.
    func change(at now: Timestamp) -> Change
    /// Returns the request as the server runs it: as its change, unless it also sends a message.
    consuming func serverRequest(at now: Timestamp) -> ServerRequest
    /// Makes the answer to the request; returns nil if the registry's answer belongs to another change.
    static func answer(_ answer: ChangeAnswer) -> Answer?
}

extension ChangeOperation {
    package consuming func serverRequest(at now: Timestamp) -> ServerRequest {
        let app = app
        return .change(change(at: now), of: app)
    }
}

/// A request that is neither a point read nor a long read nor one change: ``IndividualRequest``.
package protocol IndividualOperation: Operation {
    /// Returns the request with which `RequestRunner` calls the function of the operation.
    consuming func individualRequest() -> IndividualRequest
    /// Returns the request as the server runs it: as an ``IndividualRequest``, unless it is a dry run or one change.
    consuming func serverRequest() -> ServerRequest
}

extension IndividualOperation {
    package consuming func serverRequest() -> ServerRequest { .individual(individualRequest()) }
}

/// A request that changes the state of the session: ``SessionRequest``.
package protocol SessionOperation: Operation {
    /// Returns the request as the server runs it.
    consuming func sessionRequest() -> SessionRequest
}

/// An operation whose answer has as many rows as the request allows: a page, or the lists of STATISTICS.
package protocol PagedOperation: Operation {
    /// The number of rows wanted, 1 to 1,000.
    var limit: UInt32 { get set }
}

extension PagedOperation {
    /// Returns the request with a `limit` so low that its page has at most `bytes` of payload, even if its rows are the
    /// longest. `bytes` is at least 4,096.
    package func boundingPage(toBytes bytes: UInt32) -> Self {
        withLimit(Self.tableRow.rows(within: bytes))
    }

    /// Returns the request with a `limit` whose page usually has at most `bytes` of payload: most rows are much shorter
    /// than the longest.
    package func boundingUsualPage(toBytes bytes: UInt32) -> Self {
        // A row has rarely less than a sixteenth of the longest, and such a page costs little more than one that fits.
        let (rows, overflows) = Self.tableRow.rows(within: bytes).multipliedReportingOverflow(by: 16)
        return overflows ? self : withLimit(rows)
    }

    /// Returns the request with a lower `limit`, after its page had `encoded` bytes instead of at most `bytes`; nil if
    /// no lower limit helps. The limits go down to the one that `boundingPage` sets.
    package func shrinkingPage(ofBytes encoded: Int, toBytes bytes: UInt32) -> Self? {
        let minimum = boundingPage(toBytes: bytes).limit
        guard limit > minimum, encoded > 0 else { return nil }
        // Seven eighths of the rows that would fit if all rows were alike.
        let fitting = UInt32(clamping: UInt64(limit) * UInt64(bytes) / UInt64(encoded) * 7 / 8)
        return withLimit(max(minimum, min(fitting, limit - 1)))
    }

    /// Returns the request with at most `rows` rows.
    private func withLimit(_ rows: UInt32) -> Self {
        var request = self
        request.limit = min(limit, rows)
        return request
    }
}
