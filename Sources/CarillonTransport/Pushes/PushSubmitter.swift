import CarillonAPNs
import CarillonCore
import CarillonHTTP2

/// Turns deliveries into HTTP/2 requests: prepared headers and body, path and `apns-id`.
///
/// Belongs to one connection and to its event loop.
struct PushSubmitter: ~Copyable {
    /// The limit of pushes submitted before full TLS records are written: one record's worth. A thousand pushes that
    /// wait in nghttp2 together would be sorted, and would have left the processor's caches before they are written.
    static let pushesBetweenWrites = 40

    private let upstream: Upstream
    private var prepared = PreparedMessages()
    private let path = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)
    private let identifier = UnsafeMutableRawBufferPointer.allocate(
        byteCount: NotificationID.textBytes,
        alignment: 16
    )

    init(_ upstream: Upstream) {
        self.upstream = upstream
        PushRequest.pathPrefix.withUnsafeBytes { path.copyMemory(from: $0) }
    }

    deinit {
        path.deallocate()
        identifier.deallocate()
    }

    /// Submits deliveries, and inserts their attempts into `inFlight`.
    ///
    /// A message is looked up once for all of its deliveries that follow one another, which in a fan-out is the whole
    /// batch.
    ///
    /// - Parameters:
    ///   - token: nil on a connection with a certificate.
    ///   - failed: receives each delivery that HTTP/2 did not take.
    mutating func submit(
        _ deliveries: ArraySlice<Delivery>,
        to http2: HTTP2ClientSession,
        token: ProviderTokenSource.Token?,
        at now: Uptime,
        inFlight: inout InFlightTable,
        failed: (Delivery, HTTP2Error) -> Void
    ) {
        var next = deliveries.startIndex
        while next < deliveries.endIndex {
            let (first, body) = (deliveries[next], deliveries[next].body)
            do throws(HTTP2Error) {
                let message = try prepared.prepared(first.message, body: body, upstream: upstream, token: token)
                repeat {
                    do throws(HTTP2Error) {
                        try submit(deliveries[next], as: message, to: http2, at: now, inFlight: &inFlight)
                    } catch {
                        failed(deliveries[next], error)
                    }
                    next += 1
                } while next < deliveries.endIndex && deliveries[next].message === first.message
                    && deliveries[next].body == body
            } catch {
                failed(first, error)
                next += 1
            }
        }
    }

    @inline(__always)
    private func submit(
        _ delivery: Delivery,
        as message: PreparedMessages.Prepared,
        to http2: HTTP2ClientSession,
        at now: Uptime,
        inFlight: inout InFlightTable
    ) throws(HTTP2Error) {
        let pathBytes = writePath(delivery)
        let id = NotificationID.derive(epoch: upstream.epoch, message: delivery.message.id, device: delivery.device)
        NotificationID.write(id, into: identifier.baseAddress.unsafelyUnwrapped)
        let slot = inFlight.insert(delivery.attempt, at: now)
        do throws(HTTP2Error) {
            let stream = try http2.submit(
                headers: message.headers,
                path: UnsafeRawBufferPointer(rebasing: path[..<pathBytes]),
                apnsID: UnsafeRawBufferPointer(identifier),
                body: message.body,
                tag: UInt64(slot)
            )
            inFlight.setStream(stream, of: slot)
        } catch {
            _ = inFlight.remove(UInt64(slot))
            throw error
        }
    }

    /// Writes `/3/device/<token in hexadecimal>` into `path` and returns its length.
    private func writePath(_ delivery: Delivery) -> Int {
        let prefix = PushRequest.pathPrefix.count
        return delivery.page.withToken(at: delivery.index) { token in
            // Safety: `path` has room for the prefix and two digits for each byte of the longest token.
            Hex.write(token, into: path.baseAddress.unsafelyUnwrapped + prefix)
            return prefix + 2 * token.count
        }
    }
}

extension Delivery {
    /// Which payload the recipient gets.
    fileprivate var body: UInt8 { page.recipients[index].body }
}
