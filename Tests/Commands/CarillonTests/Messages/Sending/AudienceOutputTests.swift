import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

/// The advice about an audience without devices.
struct AudienceOutputTests {
    @Test(
        arguments: [
            (.topic(TopicName("levle5")!), "no device is subscribed to topic levle5"),
            (.groups([GroupName("user/1")!]), "no device is in group user/1"), (.all, "has no devices"),
            (.condition(.all), "the condition holds for no device"),
        ] as [(Audience, String)])
    func anEmptyAudienceHasAHint(_ audience: Audience, _ hint: String) {
        #expect(audience.adviceIfEmpty(app: game).contains(hint))
    }
}
