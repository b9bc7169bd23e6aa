import CarillonClock
public import CarillonCore
import CarillonWire

/// Registrations of devices, one or many at a time.
extension CarillonClient {
    /// Registers a device, or renews its registration. The registration is durable when this returns.
    ///
    /// If the registration has no time (`seenAt` is zero), it gets the current time, so that a retry sends the same
    /// request.
    public func register(_ registration: Registration) async throws(CarillonError) -> RegisterResult {
        let answer = try await request(registration.dated(Clock.wallTime()))
        return RegisterResult(id: answer.device, result: answer.result)
    }

    /// Registers many devices, in as few requests as the server allows. The results are in the order of the batch.
    ///
    /// If the server refuses a registration, the others are not affected.
    public func register(_ batch: [Registration]) async -> [Result<RegisterResult, CarillonError>] {
        let now = Clock.wallTime()
        var results: [Result<RegisterResult, CarillonError>] = []
        results.reserveCapacity(batch.count)
        while results.count < batch.count {
            let rest = batch[results.count...]
            var items = rest.prefix(WireLimits.batchItems).map { $0.dated(now) }
            do throws(CarillonError) {
                items = try await serverInfo().fitting(items)
                results += try await registerAtOnce(items)
            } catch {
                results += Array(repeating: .failure(error), count: items.count)
                // An error of the server concerns this request alone; any other error would end the following ones too.
                guard error.code.server == nil else { continue }
                var untried = error
                untried.effect = .notExecuted
                results += Array(repeating: .failure(untried), count: batch.count - results.count)
            }
        }
        return results
    }

    private func registerAtOnce(
        _ items: [Registration]
    ) async throws(CarillonError) -> [Result<RegisterResult, CarillonError>] {
        let rows = try await request(RegisterBatchRequest(items))
        guard rows.count == items.count else { throw .mismatchedAnswer }
        return rows.enumerated().map { index, row in
            switch row {
            case .registered(let id, let result): .success(RegisterResult(id: id, result: result))
            case .refused(let code): .failure(CarillonError(refused: code, item: index))
            }
        }
    }
}

extension ServerInfo {
    /// Returns the first of `items`, as many as one request may hold; at least one.
    fileprivate func fitting(_ items: [Registration]) -> [Registration] {
        var bytes = RegisterBatchRequest.maximumBytesWithoutItems
        let count = items.prefix(batchLimit).prefix { item in
            bytes += item.maximumItemBytes
            return bytes <= frameLimit
        }.count
        return Array(items.prefix(max(count, 1)))
    }
}

extension Registration {
    /// Returns the same registration, with `time` if it has none of its own.
    fileprivate func dated(_ time: Timestamp) -> Registration {
        guard seenAt == .zero else { return self }
        var dated = self
        dated.seenAt = time
        return dated
    }
}

extension CarillonError {
    /// Makes the error of one item of a batch: the server sends only its code.
    fileprivate init(refused code: ErrorCode, item: Int) {
        let reason =
            switch code {
            case .stale: "something newer is stored"
            case .forbidden: "the role register is missing for this app"
            case .notFound: "the server does not serve this app"
            case .rateLimited: "the rate limit is reached"
            case .storageFull: "the disk is nearly full"
            case .malformed, .invalidArgument: "a field has a value that is not allowed"
            default: "refused"
            }
        let isTransient = code == .rateLimited || code == .overloaded || code == .storageFull
        self.init(
            .server(code),
            retryAfter: isTransient ? .seconds(1) : nil,
            item: UInt32(clamping: item),
            message: reason
        )
    }
}
