package carillon

// CallOption changes one call. There is WithoutRetry.
type CallOption interface{ applyCall(*callOptions) }

// callOptions are what options of calls can change.
type callOptions struct {
	isNotRepeated bool
}

// callOptionsOf returns what the options of a call ask for.
func callOptionsOf(options []CallOption) (chosen callOptions) {
	for _, option := range options {
		option.applyCall(&chosen)
	}
	return chosen
}

// list returns options that ask for the same.
func (chosen callOptions) list() []CallOption { return []CallOption{chosen} }

func (chosen callOptions) applyCall(options *callOptions) { *options = chosen }

// NoRetry is the option that WithoutRetry returns.
type NoRetry struct{}

// WithoutRetry makes a call whose request is written once at most: an error after which the client would repeat it by
// itself is returned.
func WithoutRetry() NoRetry { return NoRetry{} }

func (NoRetry) applyCall(options *callOptions) { options.isNotRepeated = true }

func (NoRetry) applySend(message *sendArguments) error {
	message.options.isNotRepeated = true
	return nil
}

func (NoRetry) applyResend(resend *resendArguments) error {
	resend.options.isNotRepeated = true
	return nil
}

func (NoRetry) applyAnnounce(announce *announceArguments) error {
	announce.options.isNotRepeated = true
	return nil
}
