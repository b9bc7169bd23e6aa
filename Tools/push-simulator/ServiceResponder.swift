import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import NIOCore

/// Responds to the requests of one connection. `PushServices.response` decides about messages.
final class ServiceResponder: Responder {
    private let services: PushServices

    init(_ services: PushServices) { self.services = services }

    func respond(on connection: SimulatorConnection, in context: ChannelHandlerContext) throws {
        let now = millisecondsSince1970()
        try services.withState { state in
            defer { services.burstEnded(&state) }
            try connection.forEachRequest { request in
                try judge(request, on: connection, state: &state, now: now, context: context)
            }
        }
    }

    private func judge(
        _ request: Request, on connection: SimulatorConnection, state: inout PushServices.State, now: Int64,
        context: ChannelHandlerContext
    ) throws {
        let received = ReceivedRequest(request)
        var plan = FaultPlan(delayMilliseconds: services.delayMilliseconds)
        if state.rules.faults.watchesRequests {
            plan = try PushServices.key(of: received).withUnsafeBytes { key in
                try connection.faultPlan(
                    of: key, stream: request.stream, faults: &state.rules.faults,
                    delayMilliseconds: services.delayMilliseconds, at: now)
            }
            guard plan.isProcessed else { return try connection.endUnprocessed(request.stream, by: plan) }
        }
        let response = services.response(to: received, state: &state, at: now, skewSeconds: plan.skewSeconds)
        let stream = request.stream
        let frameBytes = plan.frameBytes
        connection.promiseResponse(on: stream)
        if plan.isPlain, plan.delayMilliseconds == 0 { return try Self.send(response, to: stream, of: connection.http) }
        try connection.deliver(on: stream, as: plan, context: context) {
            try Self.send(response, to: stream, of: connection.http, frameBytes: frameBytes)
        }
    }

    private static func send(
        _ response: ServiceResponse, to stream: Int32, of http: HTTP2ServerSession, frameBytes: Int = .max
    ) throws {
        let fields = response.fields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
        let head = try PreparedResponse(status: response.status, fields: fields)
        let body = PreparedBody(response.body.utf8)
        do throws(HTTP2Error) {
            try http.respond(to: stream, with: head, body: body, frameBytes: frameBytes)
        } catch {
            // The client may have cancelled the stream in the meantime.
            guard error == .unknownStream else { throw error }
        }
    }
}
