/// The decoders of bytes of peers and of the disk. They have the names of the folders in `Tests/Corpus`.
enum Target: String, CaseIterable {
    case serverSession = "server-session"
    case clientSession = "client-session"
    case frames
    case http2Client = "http2-client"
    case http2Server = "http2-server"
    case apnsAnswer = "apns-answer"
    case payload
    case registry
    case log

    func run(_ choices: inout Choices) {
        switch self {
        case .serverSession: ServerSessionTarget.run(&choices)
        case .clientSession: ClientSessionTarget.run(&choices)
        case .frames: FramesTarget.run(&choices)
        case .http2Client: HTTP2ClientTarget.run(&choices)
        case .http2Server: HTTP2ServerTarget.run(&choices)
        case .apnsAnswer: APNsAnswerTarget.run(&choices)
        case .payload: PayloadTarget.run(&choices)
        case .registry: RegistryTarget.run(&choices)
        case .log: LogTarget.run(&choices)
        }
    }
}
