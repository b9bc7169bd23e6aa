import Testing

/// The simulator as a process, judged by curl.
@Suite(.timeLimit(.minutes(10)))
struct APNsSimulatorProcessTests {
    @Test func `each fault of a push is answered with Apple's status and reason`() throws {
        let simulator = try SimulatorProcess()
        let token = simulator.validHeaders[0]
        let topic = simulator.validHeaders[1]
        #expect(try simulator.push(to: "aabb") == " 200")
        #expect(try simulator.push(to: "xyz") == #"{"reason":"BadDeviceToken"} 400"#)
        #expect(try simulator.push(to: "aabb", [topic]) == #"{"reason":"MissingProviderToken"} 403"#)
        let invalid = ["authorization: bearer abc"]
        #expect(try simulator.push(to: "aabb", invalid) == #"{"reason":"InvalidProviderToken"} 403"#)
        #expect(try simulator.push(to: "aabb", [token]) == #"{"reason":"MissingTopic"} 400"#)
        let priority = [token, topic, "apns-priority: 7"]
        #expect(try simulator.push(to: "aabb", priority) == #"{"reason":"BadPriority"} 400"#)
        #expect(try simulator.push(to: "aabb", body: "") == #"{"reason":"PayloadEmpty"} 400"#)
    }

    @Test func `a token under a rule is answered as the rule says`() throws {
        let simulator = try SimulatorProcess()
        #expect(
            try simulator.push(to: SimulatorProcess.unregisteredToken)
                == #"{"reason":"Unregistered","timestamp":1700000000000} 410"#)
    }

    @Test func `a wait for a device ends with a push to that device and not with one to another`() throws {
        let simulator = try SimulatorProcess()
        try simulator.push(to: "aabb")
        // If the push to the other device ended the wait, both answers would come before the second push.
        let answers = try simulator.answers(to: ["wait 1 ccdd", "stats"], awaiting: 1, thenPushingTo: "ccdd")
        try #require(answers.count == 2)
        #expect(answers[0].contains(#""accepted":1,"#), "stats")
        #expect(answers[1].contains(#""accepted":2,"#), "wait")
    }

    @Test func `a stopped simulator prints the accepted pushes and succeeds`() throws {
        let simulator = try SimulatorProcess()
        try simulator.push(to: "aabb")
        let (status, output) = simulator.stop()
        #expect(status == 0)
        #expect(output.contains(#""accepted":1,"#))
    }
}
