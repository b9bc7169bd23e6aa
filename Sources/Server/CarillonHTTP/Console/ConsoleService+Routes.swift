import CarillonCore
import CarillonGateway
import NIOCore

/// A user of the console, and the connection on which requests are made.
// Safety: every use is on the loop of the port.
struct ConsoleCaller: @unchecked Sendable {
    /// The name of the principal whose key the user has given.
    var principal: String
    /// The IP address of the user's browser.
    var clientAddress: String
    var connection: InProcessConnection
    var loop: any EventLoop
}

/// Answers the calls of the pages.
extension ConsoleService {
    func route(_ request: HTTPRequest, for caller: ConsoleCaller) -> EventLoopFuture<HTTPResponse> {
        let loop = caller.loop
        switch request.path {
        case "/api/session": return loop.makeSucceededFuture(.json(caller.connection.principalJSON))
        case "/api/overview": return overview(request, for: caller)
        case "/api/message": return message(request, for: caller)
        case "/api/content": return content(request, for: caller)
        case "/api/settings": return settings(caller)
        case "/api/events": return requests.events(request.body, over: caller.connection, on: loop)
        default:
            guard let name = request.path.removing(prefix: "/api/v1/") else {
                return loop.makeSucceededFuture(.refusal(GatewayError.notFound("there is no such request")))
            }
            return call(String(name), body: request.body, for: caller).map { .json($0) }
        }
    }

    /// Makes a request of the protocol.
    private func call(_ name: String, body: [UInt8] = [], for caller: ConsoleCaller) -> EventLoopFuture<[UInt8]> {
        do throws(GatewayError) {
            let prepared = try requests.gateway.prepare(name, body: body)
            let result = requests.run(prepared, over: caller.connection, on: caller.loop)
            result.whenComplete { [self] in log(prepared, of: caller, result: $0) }
            return result
        } catch {
            return caller.loop.makeFailedFuture(error)
        }
    }

    /// Answers with STATISTICS, the samples after the number `after`, and the values that the latest sample has beyond
    /// them. A caller that may read STATISTICS may read all of it.
    private func overview(_ request: HTTPRequest, for caller: ConsoleCaller) -> EventLoopFuture<HTTPResponse> {
        let after: UInt64
        do throws(GatewayError) {
            after = try Gateway.parse(request.body)["after"]?.wholeNumber ?? 0
        } catch {
            return caller.loop.makeFailedFuture(error)
        }
        return call("statistics", for: caller).map { [self] statistics in
            var output = JSONStreamWriter()
            output.object { output in
                output.member("statistics", json: statistics)
                output.name("history")
                history.append(after: after, to: &output)
                latest?.append(to: &output)
                output.name("credential_uses")
                credentialUses.append(to: &output)
            }
            return .json(output.bytes)
        }
    }

    /// Answers with MESSAGE_STATUS, and with what the history has of the message's progress.
    private func message(_ request: HTTPRequest, for caller: ConsoleCaller) -> EventLoopFuture<HTTPResponse> {
        // Why try?: MESSAGE_STATUS gets the same body, and refuses it.
        let id = (try? Gateway.parse(request.body))?["message_id"]?.wholeNumber ?? 0
        return call("message_status", body: request.body, for: caller).map { [self] status in
            var output = JSONStreamWriter()
            output.object { output in
                output.member("status", json: status)
                output.name("progress")
                output.array { output in
                    for point in history.points(of: id) {
                        let numbers = [point.atMilliseconds, point.delivered, point.failed, point.notSent]
                        output.array { output in for number in numbers { output.number(number) } }
                    }
                }
            }
            return .json(output.bytes)
        }
    }

    /// Answers with the content of a message, if the caller may read its status: MESSAGE_STATUS decides.
    private func content(_ request: HTTPRequest, for caller: ConsoleCaller) -> EventLoopFuture<HTTPResponse> {
        // Why try?: MESSAGE_STATUS gets the same body, and refuses it.
        let fields = try? Gateway.parse(request.body)
        let id = fields?["message_id"]?.wholeNumber ?? 0
        let app = fields?["app"]?.text.flatMap { AppID($0) }
        return call("message_status", body: request.body, for: caller).flatMap { [server] _ in
            let promise = caller.loop.makePromise(of: MessageContent?.self)
            if let app {
                server.content(of: MessageID(rawValue: id), app: app) { promise.succeed($0) }
            } else {
                promise.succeed(nil)
            }
            return promise.futureResult
        }.flatMapThrowing { content in
            guard let content else { throw GatewayError.notFound("there is no such message") }
            var output = JSONStreamWriter()
            content.append(to: &output)
            return .json(output.bytes)
        }
    }

    /// Answers with the configuration in force, for operators: STATISTICS decides who that is.
    private func settings(_ caller: ConsoleCaller) -> EventLoopFuture<HTTPResponse> {
        call("statistics", body: Array(#"{"limit":1}"#.utf8), for: caller).map { [server] _ in
            .json(server.configuration)
        }
    }
}

/// Writes the content of a message as JSON for the console.
extension MessageContent {
    /// Appends the content as a JSON object, with the names of SEND. Payloads were checked when they were accepted.
    func append(to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("push_type", pushType.name)
            if let collapseID { output.member("collapse_id", collapseID) }
            if let idKey { output.member("id_key", idKey) }
            if !payload.isEmpty { output.member("payload", json: payload) }
            output.name("bodies")
            output.array { output in
                for body in bodies {
                    output.object { output in
                        output.member("language", body.language)
                        output.member("payload", json: body.payload)
                    }
                }
            }
            switch android {
            case nil: break
            case .overrides(let json): output.member("android", json: json)
            case .raw(let json): output.member("android_raw", json: json)
            }
            switch web {
            case nil: break
            case .overrides(let json): output.member("web", json: json)
            case .raw(let json): output.member("web_raw", json: json)
            }
        }
    }
}

extension JSONStreamWriter {
    /// Writes a member whose value is JSON already.
    fileprivate mutating func member(_ name: String, json: some Collection<UInt8>) {
        self.name(name)
        self.json(json)
    }
}
