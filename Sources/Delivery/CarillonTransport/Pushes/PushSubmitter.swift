import CarillonCore
import CarillonHTTP2
import CarillonProvider

/// Submits deliveries as HTTP/2 requests: of prepared headers and body, and the parts that are each device's own.
///
/// Belongs to one connection and to its event loop.
struct PushSubmitter: ~Copyable {
    /// The most pushes that are submitted before full TLS records are written: about one record. If a thousand pushes
    /// waited in nghttp2 together, nghttp2 would sort them, and they would leave the processor's caches before they are
    /// written.
    static let pushesBetweenWrites = 40

    /// The reason why a delivery was not submitted.
    enum SubmitError: Error {
        case http2(HTTP2Error)
        /// The provider would refuse the message.
        case message(MessageError)
        /// The provider would refuse the token.
        case token
    }

    private let adapter: any ProviderAdapter
    private var prepared: PreparedMessages
    private var parts = RequestParts()

    init(_ target: PoolTarget) {
        adapter = target.adapter
        prepared = PreparedMessages(adapter: target.adapter, authority: target.server.authority)
    }

    /// Submits deliveries, and inserts their attempts into `inFlight`. Returns the deliveries that were not submitted.
    ///
    /// A message is looked up once for all of its deliveries that follow one another, which in a fan-out is the whole
    /// batch.
    ///
    /// - Parameter authorization: nil on a connection with a certificate.
    mutating func submit(
        _ deliveries: ArraySlice<Delivery>,
        to http2: HTTP2ClientSession,
        authorization: RequestAuthorization?,
        at now: Moment,
        inFlight: inout InFlightTable
    ) -> [UnsubmittedDelivery] {
        var unsubmitted: [UnsubmittedDelivery] = []
        var next = deliveries.startIndex
        while next < deliveries.endIndex {
            let first = deliveries[next]
            let payloadIndex = deliveries[next].payloadIndex
            do throws(SubmitError) {
                let message = try prepared.findOrPrepare(
                    first.message, payloadIndex: payloadIndex, authorization: authorization, at: now)
                repeat {
                    do throws(SubmitError) {
                        try submit(deliveries[next], as: message, to: http2, at: now.uptime, inFlight: &inFlight)
                    } catch {
                        unsubmitted.append(UnsubmittedDelivery(delivery: deliveries[next], error: error))
                    }
                    next += 1
                } while next < deliveries.endIndex && deliveries[next].message === first.message
                    && deliveries[next].payloadIndex == payloadIndex
            } catch {
                unsubmitted.append(UnsubmittedDelivery(delivery: first, error: error))
                next += 1
            }
        }
        return unsubmitted
    }

    @inline(__always)
    private mutating func submit(
        _ delivery: Delivery,
        as message: PreparedMessages.Entry,
        to http2: HTTP2ClientSession,
        at now: Uptime,
        inFlight: inout InFlightTable
    ) throws(SubmitError) {
        guard adapter.write(delivery, into: &parts) else { throw .token }
        let tag = inFlight.insert(delivery.attempt, at: now)
        do throws(HTTP2Error) {
            let stream = try http2.submit(
                headers: message.headers, path: parts.path, requestID: parts.id, body: message.body,
                bodyEnd: parts.bodyEnd, tag: tag)
            inFlight.setStream(stream, of: tag)
        } catch {
            _ = inFlight.remove(tag)
            throw .http2(error)
        }
    }
}

extension Delivery {
    /// The number of the payload that the recipient gets.
    fileprivate var payloadIndex: UInt8 { page.recipients[index].payloadIndex }
}

/// A delivery that could not be submitted as a request.
struct UnsubmittedDelivery {
    var delivery: Delivery
    var error: PushSubmitter.SubmitError
}
