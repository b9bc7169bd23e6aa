import CarillonCore

/// A delivery that could not be submitted as a request.
struct UnsubmittedDelivery {
    var delivery: Delivery
    var error: PushSubmitter.SubmitError
}
