/// The response to a request.
enum SimulatedResponse: Equatable {
    case accepted
    case rejected(Rejection)
    case channel(ChannelResponse)

    static func rejected(_ reason: Reason) -> SimulatedResponse {
        .rejected(Rejection(reason))
    }
}
