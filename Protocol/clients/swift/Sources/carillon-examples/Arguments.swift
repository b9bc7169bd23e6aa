import CarillonClient

/// The device with this token, in hexadecimal digits.
func address(_ token: String) throws(CarillonError) -> DeviceAddress {
    guard let token = DeviceToken(hex: token) else {
        throw CarillonError(.invalidArgument, field: "token", message: "'\(token)' is not a token")
    }
    return DeviceAddress(environment: .production, kind: .device, token: token)
}

/// The group of this name.
func group(_ name: String) throws(CarillonError) -> GroupName {
    guard let group = GroupName(name) else {
        throw CarillonError(.invalidArgument, field: "group", message: "'\(name)' is not a name of a group")
    }
    return group
}

/// The topic of this name.
func topic(_ name: String) throws(CarillonError) -> TopicName {
    guard let topic = TopicName(name) else {
        throw CarillonError(.invalidArgument, field: "topic", message: "'\(name)' is not a name of a topic")
    }
    return topic
}

/// Waits until every device of a message has its outcome, and prints the numbers.
func printOutcomes(of message: MessageID, _ app: AppClient) async throws(CarillonError) {
    let status = try await app.waitUntilFinished(message)
    for (outcome, devices) in status.outcomes where devices > 0 { print(outcome, devices) }
}
